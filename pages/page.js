'use strict';

// Shared by the pages. The server removes indentation and comment lines from scripts and styles, so
// no multi-line text may depend on them. Content of responses is shown as text, never as markup.

const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

const jsonParts = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

const jsonKind = (part, next) => {
  if (part[0] === '"') return next === ':' ? 'key' : 'string';
  return /[tfn]/.test(part[0]) ? 'literal' : 'number';
};

/**
 * Returns JSON indented and with colors, or null if the text is not JSON. Numbers and the order of
 * keys stay as they were sent: JSON.parse would round and reorder them.
 */
const formatJSON = (text) => {
  try { JSON.parse(text); } catch { return null; }
  const result = document.createDocumentFragment();
  const parts = text.match(jsonParts);
  let plain = '';
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  parts.forEach((part, index) => {
    const next = parts[index + 1];
    if (part === '{' || part === '[') {
      depth += 1;
      plain += part + (next === '}' || next === ']' ? '' : newLine());
    } else if (part === '}' || part === ']') {
      depth -= 1;
      plain += (plain.endsWith('{') || plain.endsWith('[') ? '' : newLine()) + part;
    } else if (part === ',') {
      plain += part + newLine();
    } else if (part === ':') {
      plain += ': ';
    } else {
      result.append(plain, element('span', part, jsonKind(part, next)));
      plain = '';
    }
  });
  result.append(plain);
  return result;
};

/** Adds a button that copies a command, or selects it if the clipboard is blocked. */
const addCopyButton = (command) => {
  const box = element('div', undefined, 'command');
  const button = element('button', 'Copy', 'copy');
  button.type = 'button';
  button.setAttribute('aria-label', 'Copy the command');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    } catch {
      getSelection().selectAllChildren(command);
    }
  });
  command.replaceWith(box);
  box.append(command, button);
};

document.documentElement.classList.add('has-script');
/** The server's address, also behind a proxy that serves it below a path. */
const server = document.querySelector('.brand').href.replace(/\/$/, '');
for (const origin of document.querySelectorAll('.origin')) origin.textContent = server;
for (const command of document.querySelectorAll('.curl')) {
  // Behind a proxy, the server may not know the public scheme and host.
  const code = command.firstChild;
  code.textContent = code.textContent.replace(/'https?:\/\/[\w.:[\]-]+/, `'${location.origin}`);
  addCopyButton(command);
}
