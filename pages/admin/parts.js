// The parts of all screens: problems, tables, buttons that act, dialogs, and the toast.

import { Problem, request } from './api.js';
import { element, link } from './dom.js';

/** Dispatches `refresh` when the open screen has to load its data again. */
export const changes = new EventTarget();
export const refresh = () => changes.dispatchEvent(new Event('refresh'));

/** Whether an error needs no message, because the sign-in form or another screen is shown. */
export const isSilent = (error) => error.name === 'AbortError' || error.status === 401;

/** Returns the message of an error, and a button that tries again if `retry` is given. */
export const problem = (error, retry) => {
  const isKnown = error instanceof Problem;
  if (!isKnown) console.error(error);
  const text = isKnown ? error.message : 'Something went wrong on this page. Reload it.';
  return element(
    'div',
    { className: 'problem', role: 'alert' },
    element('p', {}, text),
    error.errors?.length > 0
      && element('ul', {}, error.errors.map((each) => element('li', {}, each))),
    retry && element('button', { type: 'button', className: 'quiet', on: { click: retry } },
      'Try again'),
  );
};

export const empty = (text) => element('p', { className: 'empty' }, text);
export const loading = () => element('p', { className: 'empty', role: 'status' }, 'Loading…');

/** Returns pairs of names and values; those without a value are omitted. */
export const facts = (pairs) => element(
  'dl',
  { className: 'facts' },
  pairs.filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
);

/**
 * Returns a table. On a narrow screen, each row is a card.
 *
 * Each column has a `name` and a function `cell` of the item. The roles are explicit, because the
 * cards' `display` would hide them.
 */
export const table = (label, columns, items, prepare = () => {}) => {
  const row = (item) => {
    const cells = columns.map(({ name, cell, kind = '' }) => element(
      'td', { role: 'cell', className: kind, data: { label: name } }, cell(item),
    ));
    const made = element('tr', { role: 'row' }, cells);
    prepare(made, item);
    return made;
  };
  const heads = columns.map(({ name, kind = '' }) => element(
    'th', { role: 'columnheader', scope: 'col', className: kind }, name,
  ));
  return element(
    'table',
    { role: 'table', aria: { label } },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, heads)),
    element('tbody', { role: 'rowgroup' }, items.map(row)),
  );
};

const trail = [];

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
  const last = trail.at(-1);
  const before = last?.after === location.hash ? last.before : to('');
  const back = link(before, last?.after === location.hash ? 'Back' : 'First page');
  const forward = link(to(next), 'Next');
  back.addEventListener('click', () => {
    if (last?.after === location.hash) trail.pop();
  });
  forward.addEventListener('click', () => {
    trail.push({ before: location.hash, after: forward.hash });
  });
  for (const each of [back, forward]) each.className = 'button quiet';
  return element(
    'nav', { className: 'pager', aria: { label: 'Pages' } },
    cursor && back, next !== null && next !== undefined && forward,
  );
};

/**
 * Returns a button that runs an action, and shows its problem below its group.
 *
 * Meanwhile, the button ignores clicks. It isn't disabled, because it would lose the focus.
 */
export const button = (text, run, { className = 'quiet', label } = {}) => {
  let isBusy = false;
  const made = element('button', { type: 'button', className }, text);
  if (label) made.setAttribute('aria-label', label);
  made.addEventListener('click', async () => {
    if (isBusy) return;
    isBusy = true;
    made.setAttribute('aria-busy', 'true');
    const group = made.closest('.actions') ?? made;
    if (group.nextElementSibling?.matches('.problem')) group.nextElementSibling.remove();
    try {
      await run();
    } catch (error) {
      if (!isSilent(error)) group.after(problem(error));
    } finally {
      isBusy = false;
      made.removeAttribute('aria-busy');
    }
  });
  return made;
};

export const actions = (...children) => element('div', { className: 'actions' }, children);

// The toast.

const toastRegion = () => document.getElementById('toast');

/** Removes the toast; the focus returns to the heading of the screen. */
export const dismissToast = () => {
  const region = toastRegion();
  const hadFocus = region?.contains(document.activeElement);
  region?.replaceChildren();
  if (hadFocus) document.querySelector('#app h1')?.focus();
};

const undo = async (action) => {
  await request('POST', `/actions/${action}/undo`);
  toast('Undone.');
  refresh();
};

/**
 * Says what has been done, and offers to undo it if the change has a number in the audit.
 *
 * It stays until the next one, and gets the focus, because the button of the action may be gone.
 */
export const toast = (text, action) => {
  const message = element('p', { tabIndex: -1 }, text);
  toastRegion().replaceChildren(element(
    'div', { className: 'toast' },
    message,
    actions(
      action && button('Undo', () => undo(action), { className: '' }),
      button('Dismiss', async () => dismissToast()),
    ),
  ));
  message.focus({ preventScroll: true });
};

/** Returns a button that changes something at once, and says so. */
export const changer = (text, done, path, body, options) => button(text, async () => {
  const { action } = await request('POST', path, { body });
  toast(done, action);
  refresh();
}, options);

/**
 * Asks in a dialog before `run`, which may return elements to show in the dialog afterwards.
 *
 * A problem is shown in the dialog, which stays open.
 */
export const ask = ({ title, texts, verb, run }) => {
  const heading = element('h2', { id: 'dialog-title' }, title);
  const dialog = element('dialog', { aria: { labelledby: 'dialog-title' } });
  const close = (text) => button(text, async () => dialog.close());
  const confirm = button(verb, async () => {
    const result = await run();
    if (!result) {
      dialog.close();
      return;
    }
    dialog.replaceChildren(heading, ...result, actions(close('Done')));
    dialog.querySelector('button').focus();
  }, { className: 'danger' });
  dialog.append(
    heading, ...texts.map((text) => element('p', {}, text)), actions(close('Cancel'), confirm),
  );
  const opener = document.activeElement;
  dialog.addEventListener('close', () => {
    const hadFocus = dialog.contains(document.activeElement)
      || document.activeElement === document.body;
    dialog.remove();
    if (hadFocus && opener?.isConnected) opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
};

/** Returns a button that asks before it deletes a record, and says so afterwards. */
export const deleter = (text, { title, texts, path, done, next }) => button(text, async () => ask({
  title, texts, verb: 'Delete',
  run: async () => {
    const { action } = await request('DELETE', path);
    // Before the toast, because the screen of a deleted record would say that it does not exist.
    if (next) location.hash = next;
    else refresh();
    toast(done, action);
  },
}), { className: 'danger' });

/** Returns a labelled field; `hint` is a sentence below it. */
export const labelled = (text, control, hint) => {
  if (hint) control.setAttribute('aria-describedby', `${control.id}-hint`);
  return element(
    'div', { className: 'field' },
    element('label', { htmlFor: control.id }, text),
    control,
    hint && element('p', { className: 'hint', id: `${control.id}-hint` }, hint),
  );
};

/** Returns a checkbox with its label. */
export const checkbox = (text, properties) => element(
  'label', { className: 'check' }, element('input', { type: 'checkbox', ...properties }), text,
);
