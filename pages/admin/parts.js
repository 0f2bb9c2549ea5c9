// The parts of all screens: problems, tables, buttons that act, dialogs, and the toast.

import { Problem, request } from './api.js';
import { element, link } from './dom.js';

/** Dispatches `refresh` when the open screen has to load its data again. */
export const changes = new EventTarget();
export const refresh = () => changes.dispatchEvent(new Event('refresh'));

/** Whether an error needs no message, because the sign-in form or another screen is shown. */
export const isSilent = (error) => error.name === 'AbortError' || error.status === 401;

/** Returns the message of an error, and a button that tries again if `retry` is given. */
export const problem = (error, retry, verb = 'Try again') => {
  const isKnown = error instanceof Problem;
  if (!isKnown) console.error(error);
  const text = isKnown ? error.message : 'Something went wrong on this page. Reload it.';
  return element(
    'div', { className: 'problem', role: 'alert' }, element('p', {}, text),
    error.errors?.length > 0
      && element('ul', {}, error.errors.map((each) => element('li', {}, each))),
    retry && element('button', { type: 'button', className: 'quiet', on: { click: retry } }, verb),
  );
};

export const empty = (text) => element('p', { className: 'empty' }, text);
export const loading = () => element('p', { className: 'empty', role: 'status' }, 'Loading…');

/** Returns pairs of names and values; those without a value are omitted. */
export const facts = (pairs) => element(
  'dl', { className: 'facts' },
  pairs.filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
);

/**
 * Returns a table. On a narrow screen, each row is a card.
 *
 * A column is a name, a function that returns its content for an item, and a class. The roles are
 * explicit, because the cards' `display` would hide them.
 */
export const table = (label, columns, items, prepare = () => {}) => {
  const row = (item) => {
    const cells = columns.map(([name, cell, kind = '']) => element(
      'td', { role: 'cell', className: kind, data: { label: name } }, cell(item),
    ));
    const made = element('tr', { role: 'row' }, cells);
    prepare(made, item);
    return made;
  };
  const heads = columns.map(([name, , kind = '']) => element(
    'th', { role: 'columnheader', scope: 'col', className: kind }, name,
  ));
  return element(
    'table', { role: 'table', aria: { label } },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, heads)),
    element('tbody', { role: 'rowgroup' }, items.map(row)),
  );
};

/** The pages that the admin has reached from the ones before. */
const reached = new Set();

/** Returns the links to the pages before and after a page of a list. */
export const pager = (path, query, next) => {
  const cursor = query.get('cursor');
  if (!cursor && next === null) return '';
  const to = (value) => {
    const values = new URLSearchParams(query);
    if (value) values.set('cursor', value);
    else values.delete('cursor');
    return values.size > 0 ? `#/${path}?${values}` : `#/${path}`;
  };
  const forward = link(to(next), 'Next');
  forward.addEventListener('click', () => reached.add(forward.hash));
  const first = link(to(''), 'First page');
  for (const each of [forward, first]) each.className = 'button quiet';
  const back = reached.has(location.hash) ? button('Back', async () => history.back()) : first;
  return element(
    'nav', { className: 'pager', aria: { label: 'Pages' } }, cursor && back, next && forward,
  );
};

/**
 * Returns a button that runs an action, and shows its problem below its group.
 *
 * Meanwhile, the button ignores clicks. It isn't disabled, because it would lose the focus.
 */
export const button = (text, run, { className = 'quiet', label } = {}) => {
  const made = element('button', { type: 'button', className }, text);
  if (label) made.setAttribute('aria-label', label);
  made.addEventListener('click', async () => {
    if (made.ariaBusy === 'true') return;
    made.ariaBusy = 'true';
    const group = made.closest('.actions') ?? made;
    if (group.nextElementSibling?.matches('.problem')) group.nextElementSibling.remove();
    try {
      await run();
    } catch (error) {
      if (!isSilent(error)) group.after(problem(error));
    } finally {
      made.ariaBusy = null;
    }
  });
  return made;
};

export const actions = (...children) => element('div', { className: 'actions' }, children);

// The toast.

/** Removes the toast; the focus returns to the heading of the screen. */
const dismiss = async () => {
  document.getElementById('toast').replaceChildren();
  document.querySelector('#app h1').focus();
};

/**
 * Says what has been done, and offers to undo it if the change has a number in the audit.
 *
 * It stays until the next one, and gets the focus, because the button of the action may be gone.
 */
export const toast = (text, action) => {
  const message = element('p', { tabIndex: -1 }, text);
  const undo = action && changer('Undo', 'Undone.', `/actions/${action}/undo`);
  document.getElementById('toast').replaceChildren(element(
    'div', { className: 'toast' }, message, actions(undo, button('Dismiss', dismiss)),
  ));
  message.focus({ preventScroll: true });
};

/** Returns a button that changes something at once, and says so. */
export const changer = (text, done, path, { body, ...options } = {}) => button(text, async () => {
  const { action } = await request('POST', path, { body });
  toast(done, action);
  refresh();
}, options);

/**
 * Asks in a dialog before `run`, which returns elements to show in the dialog afterwards, or a
 * function to call after the dialog.
 *
 * A problem is shown in the dialog, which stays open. While `run` runs, and while its elements are
 * shown, Esc doesn't close the dialog.
 */
export const ask = ({ title, texts, verb, run }) => {
  const heading = element('h2', { id: 'dialog-title' }, title);
  const dialog = element('dialog', { aria: { labelledby: 'dialog-title' } });
  const isHeld = () => confirm.ariaBusy === 'true' || !confirm.isConnected;
  const finish = () => {
    dialog.remove();
    (opener.isConnected ? opener : document.querySelector('#app h1')).focus();
  };
  const close = (text) => button(text, async () => confirm.ariaBusy === 'true' || finish());
  const confirm = button(verb, async () => {
    const result = await run();
    if (Array.isArray(result)) {
      dialog.replaceChildren(heading, ...result, actions(close('Done')));
      dialog.querySelector('button').focus();
    } else {
      dialog.remove();
      result();
    }
  }, { className: 'danger' });
  dialog.append(
    heading, ...texts.map((text) => element('p', {}, text)), actions(close('Cancel'), confirm),
  );
  const opener = document.activeElement;
  dialog.addEventListener('cancel', (event) => isHeld() && event.preventDefault());
  // Some browsers close it at a second Esc even so.
  dialog.addEventListener('close', () => (isHeld() ? dialog.showModal() : finish()));
  document.body.append(dialog);
  dialog.showModal();
};

/** Returns a button that deletes a record after a confirmation, and says so. */
export const deleter = (text, { title, texts, path, done, next }) => button(text, async () => ask({
  title, texts, verb: 'Delete',
  run: async () => {
    const { action } = await request('DELETE', path);
    return () => {
      toast(done, action);
      if (next) location.hash = next;
      else refresh();
    };
  },
}), { className: 'danger' });

/** Returns a labelled field; `hint` is a sentence below it. */
export const labelled = (text, control, hint) => {
  if (hint) control.setAttribute('aria-describedby', `${control.id}-hint`);
  return element(
    'div', { className: 'field' }, element('label', { htmlFor: control.id }, text), control,
    hint && element('p', { className: 'hint', id: `${control.id}-hint` }, hint),
  );
};

/** Returns a checkbox with its label. */
export const checkbox = (text, properties) => element(
  'label', { className: 'check' }, element('input', { type: 'checkbox', ...properties }), text,
);
