// The accounts of Todo.

import { get, request, target } from './api.js';
import { count, element, foreign } from './dom.js';
import {
  actions, ask, button, changer, deleter, empty, labelled, pager, refresh, table,
} from './parts.js';

/** Returns a password that is shown once, with a button that copies it. */
const secret = (text) => {
  const said = element('span', { role: 'status' });
  const shown = element('input', {
    id: 'new-password', value: text, readOnly: true, autocomplete: 'off',
    on: { focus: () => shown.select() },
  });
  const copy = button('Copy', async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = 'Copied.';
    } catch {
      shown.focus();
      said.textContent = 'Your browser did not allow it. Copy the selected text.';
    }
  });
  return [
    labelled('New password', shown, 'It is shown only once. Give it to the user.'),
    actions(copy, said),
  ];
};

const reset = ({ id }) => button('Reset password', async () => ask({
  title: `Reset the password of account ${id}?`,
  texts: [
    'The server makes a new password and signs the account out everywhere. The old password will '
    + 'stop working. This can’t be undone.',
  ],
  verb: 'Reset password',
  run: async () => {
    const { body } = await request('POST', `/accounts/${id}/reset-password`);
    refresh();
    return secret(body.password);
  },
}), { label: `Reset the password of account ${id}` });

const signOut = ({ id }) => changer('Sign out', 'Signed out.', `/accounts/${id}/sign-out`, {
  label: `Sign account ${id} out`,
});

const remove = ({ id }) => deleter('Delete', {
  title: `Delete account ${id}?`,
  texts: ['The account, its sessions and its tasks will be deleted. This can’t be undone.'],
  path: `/accounts/${id}`,
  done: `Account ${id} is deleted.`,
});

const columns = [
  ['E-mail', ({ email }) => foreign(email)],
  ['Name', ({ name }) => foreign(name, '–')],
  ['Tasks', ({ tasks }) => count(tasks), 'amount'],
  ['Signed in', (each) => (each.signed_in ? 'yes' : 'no')],
  ['Actions', (each) => actions(reset(each), each.signed_in && signOut(each), remove(each)),
    'buttons'],
];

export const accounts = {
  title: () => 'Accounts',
  load: ({ query, signal }) => get(
    target('/accounts', { email: query.get('email'), cursor: query.get('cursor') }), signal,
  ),
  show: ({ query }, { items, next }) => {
    const email = query.get('email') ?? '';
    const field = element('input', {
      id: 'email', type: 'search', value: email, maxLength: 200, spellcheck: false,
      autocapitalize: 'none',
    });
    const search = (event) => {
      event.preventDefault();
      location.hash = `#${target('/accounts', { email: field.value.trim() })}`;
    };
    return [
      element(
        'form', { className: 'filters', role: 'search', on: { submit: search } },
        labelled('E-mail begins with', field), element('button', { className: 'quiet' }, 'Search'),
      ),
      items.length === 0
        ? empty(email ? 'No account’s e-mail address begins with this.' : 'There are no accounts.')
        : table('Accounts', columns, items),
      pager('accounts', query, next),
    ];
  },
};
