
// Sends the requests of the page's forms and shows the responses. Credentials are stored only in
// the page's fields.

const byID = (id) => document.getElementById(id);
const endpoints = [...document.querySelectorAll('.endpoint')];
const formType = 'application/x-www-form-urlencoded';
// Coloring longer responses would take seconds.
const longestColored = 200000;

const encoded = (text) => encodeURIComponent(text.toWellFormed?.() ?? text)
  .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
// These characters are allowed in a query, and make lists of coordinates and times readable.
const encodedValue = (text) => encoded(text).replace(/%(?:2C|3A|2F)/g, decodeURIComponent);

/** Returns the request of a form. Missing credentials become a placeholder. */
const request = (form) => {
  const endpoint = form.closest('.endpoint');
  let path = endpoint.querySelector('h3 code').textContent;
  const pairs = [];
  const headers = [];
  const missing = [];
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (dataset.in === 'path') {
      if (value !== '') path = path.replace(`{${name}}`, () => encoded(value));
    } else if (dataset.in === 'query') {
      if (value !== '') pairs.push(`${encoded(name)}=${encodedValue(value)}`);
    } else if (value !== '') {
      headers.push([name, (dataset.prefix ?? '') + value]);
    } else if (dataset.credential && dataset.optional === undefined) {
      const word = dataset.credential === 'secret' ? 'SECRET' : 'TOKEN';
      missing.push([name, (dataset.prefix ?? '') + word]);
    }
  }
  const body = form.elements.body?.value ?? '';
  if (body !== '') headers.push(['Content-Type', form.elements.type.value]);
  const url = server + path + (pairs.length ? `?${pairs.join('&')}` : '');
  return { method: endpoint.querySelector('h3 b').textContent, url, headers, missing, body };
};

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the shell command that sends the same request. */
const command = ({ method, url, headers, missing, body }) => {
  const words = ['curl', '-g'];
  // With a body, curl sends POST by default, and the Content-Type of a form.
  if (method !== (body === '' ? 'GET' : 'POST')) words.push('-X', method);
  for (const [name, value] of [...missing, ...headers]) {
    if (value !== formType) words.push('-H', quoted(`${name}: ${value}`));
  }
  // After -d, curl reads a leading @ as the name of a file.
  if (body !== '') words.push(body.startsWith('@') ? '--data-raw' : '-d', quoted(body));
  return [...words, quoted(url)].join(' ');
};

const refresh = (form) => {
  form.closest('.try').querySelector('.curl code').textContent = command(request(form));
};

/** Enters a credential in all forms. */
const share = (kind, value) => {
  for (const input of document.querySelectorAll(`[data-credential="${kind}"]`)) {
    if (input.value === value) continue;
    input.value = value;
    refresh(input.form);
  }
};

/** Enters the token that a response contains. */
const learnToken = (text) => {
  let body;
  try { body = JSON.parse(text); } catch { return; }
  const tokens = {
    'user-token': body?.auth_token ?? body?.device_token,
    'account-token': body?.authentication_token,
  };
  for (const [kind, token] of Object.entries(tokens)) {
    if (typeof token === 'string') share(kind, token);
  }
};

/** Returns a box with a text, which the keyboard can scroll. */
const box = (name, content) => {
  const pre = element('pre');
  pre.append(content);
  pre.tabIndex = 0;
  pre.setAttribute('role', 'region');
  pre.setAttribute('aria-label', name);
  return [element('h4', name), pre];
};

const size = (bytes) => bytes < 10000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`;

const show = (result, response, bytes, milliseconds) => {
  const text = new TextDecoder().decode(bytes);
  const status = element(
    'strong', `${response.status} ${response.statusText}`, response.ok ? 'good' : 'bad',
  );
  const line = result.querySelector('.status');
  line.replaceChildren(
    status, ` in ${milliseconds.toFixed(0)} ms, ${size(bytes.byteLength)}`,
  );
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const isShort = text.length <= longestColored;
  const body = text === '' ? [element('p', 'The response has no body.')]
    : box('Response body', (isShort && formatJSON(text)) || text);
  result.querySelector('.response').replaceChildren(...body, ...box('Response headers', headers));
  if (response.ok) learnToken(text);
  // On a phone, the response is below the form.
  if (line.getBoundingClientRect().bottom > innerHeight) line.scrollIntoView();
};

const send = async (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  const result = form.closest('.try').querySelector('.result');
  const button = form.querySelector('button');
  result.querySelector('.status').textContent = 'Sending …';
  result.querySelector('.response').replaceChildren();
  button.disabled = true;
  try {
    const { method, url, headers, body } = request(form);
    const began = performance.now();
    const response = await fetch(url, {
      method, headers, body: body === '' ? undefined : body,
      cache: 'no-store', credentials: 'omit', redirect: 'manual',
    });
    const bytes = await response.arrayBuffer();
    show(result, response, bytes, performance.now() - began);
  } catch (error) {
    const failure = element('strong', `The request failed: ${error.message}`, 'bad');
    result.querySelector('.status').replaceChildren(failure);
  } finally {
    button.disabled = false;
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  }
};

const indented = (text) => formatJSON(text)?.textContent ?? text;

/** Returns the element with the description of an endpoint's body, which can be another endpoint's. */
const bodyProse = (endpoint) => {
  const heading = [...endpoint.querySelectorAll('h4')].find((one) => one.textContent === 'Body');
  const link = heading?.nextElementSibling.querySelector('a');
  return link ? bodyProse(byID(link.hash.slice(1))) : endpoint.querySelector('.prose');
};

/** Adds a menu of the body's content types, from the examples in the description. */
const addTypes = (form) => {
  const examples = new Map();
  for (const { textContent, nextElementSibling } of
    bodyProse(form.closest('.endpoint')).querySelectorAll('.type')) {
    const isExample = nextElementSibling?.tagName === 'PRE';
    examples.set(textContent, isExample ? indented(nextElementSibling.textContent) : '');
  }
  const { body } = form.elements;
  const field = element('div', undefined, 'field');
  const select = element('select');
  select.name = 'type';
  for (const type of examples.keys()) select.append(element('option', type));
  field.append(element('label', 'Content type'), select);
  body.closest('.field').before(field);
  body.value = examples.get(select.value);
  body.rows = Math.min(Math.max(body.value.split('\n').length, 3), 14);
  select.addEventListener('input', () => {
    const isEdited = body.value !== '' && ![...examples.values()].includes(body.value);
    if (!isEdited) body.value = examples.get(select.value);
  });
};

/** Connects a field with its label and hint. */
const name = (field, id) => {
  const [input, label, hint] = ['input, select, textarea', 'label', 'p']
    .map((selector) => field.querySelector(selector));
  input.id = id;
  input.spellcheck = false;
  const list = field.querySelector('datalist');
  if (list) {
    list.id = `${id}-list`;
    input.setAttribute('list', list.id);
  }
  label.htmlFor = id;
  if (!hint) return;
  hint.id = `${id}-hint`;
  input.setAttribute('aria-describedby', hint.id);
};

/** Replaces the link to a form with the same fields by a copy of the fields. */
const copyFields = (form) => {
  const link = form.querySelector(':scope > p > a');
  if (!link) return;
  const fields = [...byID(link.hash.slice(1)).querySelectorAll('form > :not(button)')];
  link.parentElement.replaceWith(...fields.map((field) => field.cloneNode(true)));
};

const prepare = (form) => {
  const endpoint = form.closest('.endpoint');
  // Browsers must not store tokens.
  form.autocomplete = 'off';
  if (form.elements.body) addTypes(form);
  form.querySelectorAll('.field').forEach((field, index) => name(field, `${endpoint.id}-${index}`));
  // Screen readers announce only changes of existing regions.
  const status = element('p', undefined, 'status');
  status.setAttribute('role', 'status');
  endpoint.querySelector('.result').append(status, element('div', undefined, 'response'));
  form.addEventListener('submit', send);
  form.addEventListener('input', ({ target }) => {
    if (target.dataset.credential) share(target.dataset.credential, target.value);
    refresh(form);
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  refresh(form);
};

/** Opens the endpoint in the URL's fragment. */
const unfold = () => {
  const target = byID(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};

const search = byID('search');
const searchTexts = new Map(endpoints.map((endpoint) => {
  const names = [...endpoint.querySelectorAll('label, dt code')].map((name) => name.textContent);
  const text = `${endpoint.querySelector('summary').textContent} ${endpoint.id} ${names.join(' ')}`;
  return [endpoint, text.toLowerCase()];
}));

/** Hides the endpoints that don't contain every word of the search. */
const filter = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
  for (const [endpoint, text] of searchTexts) {
    endpoint.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of byID('endpoints').children) {
    section.hidden = !section.querySelector('.endpoint:not([hidden])');
  }
  const count = endpoints.filter((endpoint) => !endpoint.hidden).length;
  const text = count === 0 ? 'No endpoint matches.' : `${count} of ${endpoints.length}`;
  byID('found').textContent = words.length === 0 ? '' : text;
};

search.addEventListener('input', filter);
search.addEventListener('keydown', (event) => {
  const first = endpoints.find((endpoint) => !endpoint.hidden);
  if (event.key !== 'Enter' || !first) return;
  // Otherwise, the key would also toggle the summary that gets the focus.
  event.preventDefault();
  first.open = true;
  first.querySelector('summary').focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, select, textarea')) return;
  event.preventDefault();
  search.focus();
});
// Toggle events don't bubble, but they can be captured.
document.addEventListener('toggle', ({ target }) => {
  if (!target.open || !target.classList.contains('endpoint')) return;
  history.replaceState(null, '', `#${target.id}`);
  for (const code of target.querySelectorAll('.json code')) {
    code.replaceChildren(formatJSON(code.textContent) ?? code.textContent);
  }
}, true);
for (const prose of document.querySelectorAll('.prose')) {
  const details = element('details', undefined, 'prose');
  details.append(element('summary', 'Description and responses'), ...prose.childNodes);
  prose.replaceWith(details);
}
for (const form of document.forms) copyFields(form);
for (const form of document.forms) prepare(form);
window.addEventListener('hashchange', unfold);
unfold();
