'use strict';

// Sends the requests of the page's forms and shows the responses, always as text. Tokens are stored
// only in the page's own fields.

const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

const field = (id) => document.getElementById(id);

/** Returns the URL of a form's request and the options for fetch. */
const request = (form) => {
  const data = form.dataset;
  const query = new URLSearchParams();
  const headers = new Headers();
  let path = data.path;
  for (const input of form.querySelectorAll('[data-in]')) {
    const value = input.dataset.from ? field(input.dataset.from)?.value ?? '' : input.value;
    switch (input.dataset.in) {
      case 'path': path = path.replace(`{${input.name}}`, encodeURIComponent(value)); break;
      case 'query': if (value !== '') query.append(input.name, value); break;
      case 'header': if (value !== '') headers.set(input.name, value); break;
    }
  }
  const token = data.token ? field(data.token)?.value ?? '' : '';
  if (token !== '') headers.set(data.tokenField, (data.tokenPrefix ?? '') + token);
  const options = {
    method: data.method, headers, cache: 'no-store', credentials: 'omit', redirect: 'manual',
  };
  const body = form.elements.body;
  if (body && body.value !== '') {
    options.body = body.value;
    headers.set('Content-Type', form.elements.type.value);
  }
  const text = query.toString();
  return { url: location.origin + path + (text ? `?${text}` : ''), options };
};

/** Fills in the token that a response contains. */
const learnToken = (text) => {
  let body;
  try { body = JSON.parse(text); } catch { return; }
  if (body === null || typeof body !== 'object') return;
  const tokens = {
    'humon-token': body.auth_token ?? body.device_token,
    'todo-token': body.authentication_token,
  };
  for (const [id, token] of Object.entries(tokens)) {
    if (typeof token === 'string' && field(id)) field(id).value = token;
  }
};

const show = (output, response, text, milliseconds) => {
  const status = `${response.status} ${response.statusText} in ${milliseconds.toFixed(0)} ms`;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  output.append(
    element('p', status, response.ok ? 'good' : 'bad'),
    element('pre', headers),
    text === '' ? element('p', 'No body.') : element('pre', text),
  );
};

const send = async (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  const output = form.querySelector('.response');
  const button = form.querySelector('button');
  output.replaceChildren();
  button.disabled = true;
  try {
    const { url, options } = request(form);
    const began = performance.now();
    const response = await fetch(url, options);
    const text = await response.text();
    show(output, response, text, performance.now() - began);
    if (response.ok) learnToken(text);
  } catch (error) {
    output.append(element('p', `The request failed: ${error.message}`, 'bad'));
  } finally {
    button.disabled = false;
  }
};

/** Shows the example for the selected type of body, unless the body was edited. */
const changeType = (select) => {
  const body = select.form.elements.body;
  const examples = [...select.options].map((option) => option.dataset.example);
  if (body.value === '' || examples.includes(body.value)) {
    body.value = select.selectedOptions[0].dataset.example;
  }
};

/** Opens the section that the URL's fragment names. */
const unfold = () => {
  const target = field(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};

document.documentElement.classList.add('has-script');
for (const origin of document.querySelectorAll('.origin')) origin.textContent = location.origin;
for (const form of document.forms) {
  form.addEventListener('submit', send);
  const type = form.elements.type;
  if (type) type.addEventListener('change', () => changeType(type));
}
window.addEventListener('hashchange', unfold);
unfold();
