// The users, and one user.

import { get, request, target } from './api.js';
import { badge, count, element, foreign, link, time } from './dom.js';
import {
  actions, ask, button, changer, checkbox, deleter, empty, facts, pager, table, toast,
} from './parts.js';
import { history, reportsAbout } from './reports.js';

/** The number at which the server stops counting. */
const most = 10000;

const state = ({ banned_at: banned, deleted_at: deleted, merged_into: survivor }) => [
  banned && badge('Banned', 'bad'),
  deleted && badge(survivor ? `Merged into ${survivor}` : 'Deleted'),
];

/** Returns the button that bans a user, or ends the ban. */
export const banButton = (id, isBanned, text = 'Ban') => (isBanned
  ? changer('Unban', 'Unbanned.', `/users/${id}/unban`, { label: `Unban user ${id}` })
  : changer(text, 'Banned.', `/users/${id}/ban`, { label: `Ban user ${id}` }));

const columns = [
  ['User', ({ id }) => link(`#/users/${id}`, `User ${id}`), 'short'],
  ['Created', ({ created_at: at }) => time(at), 'short'],
  ['State', (each) => [state(each), each.banned_at && [' since ', time(each.banned_at)]]],
  ['Events', ({ id }) => link(`#/events?owner=${id}`, 'Events')],
  ['Actions', (each) => !each.deleted_at && actions(banButton(each.id, each.banned_at)), 'buttons'],
];

export const users = {
  title: () => 'Users',
  load: ({ query, signal }) => get(
    target('/users', { banned: query.get('banned'), cursor: query.get('cursor') }), signal,
  ),
  show: ({ query }, { items, next }) => {
    const isBanned = query.get('banned') === 'yes';
    const change = (event) => {
      location.hash = event.target.checked ? '#/users?banned=yes' : '#/users';
    };
    return [
      element('div', { className: 'filters' }, checkbox(
        'Banned users only', { id: 'banned', checked: isBanned, on: { change } },
      )),
      items.length === 0 ? empty(isBanned ? 'No user is banned.' : 'There are no users yet.')
        : table('Users', columns, items),
      pager('users', query, next),
    ];
  },
};

const revoke = (id) => button('Revoke sign-in', async () => ask({
  title: `Revoke the sign-in of user ${id}?`,
  texts: [
    'The user’s token will stop working at once. The app then creates a new user without this '
    + 'user’s events. This can’t be undone.',
  ],
  verb: 'Revoke',
  run: async () => {
    await request('POST', `/users/${id}/revoke`);
    return () => toast(`The sign-in of user ${id} is revoked.`);
  },
}));

export const user = {
  title: (id) => `User ${id}`,
  load: async ({ id, signal }) => {
    const requests = [get(`/users/${id}`, signal), reportsAbout('user', id, signal)];
    const [found, reports] = await Promise.all(requests);
    return { found, reports };
  },
  show: ({ id }, { found, reports }) => [
    element('p', { className: 'states' }, state(found)),
    facts([
      ['Name', found.name && foreign(found.name)],
      ['Created', time(found.created_at)],
      ['Banned', found.banned_at && time(found.banned_at)],
      ['Deleted', found.deleted_at && time(found.deleted_at)],
      ['Merged into', found.merged_into
        && link(`#/users/${found.merged_into}`, `User ${found.merged_into}`)],
      ['Events', link(`#/events?owner=${id}`, count(found.events, most))],
      ['Attendances', count(found.attendances, most)],
      ['Reports about the user', count(found.reports_about, most)],
      ['Reports by the user', count(found.reports_by, most)],
      ['Blocked by', `${count(found.blocked_by, most)} users`],
    ]),
    !found.deleted_at && actions(
      banButton(id, found.banned_at),
      revoke(id),
      deleter('Delete', {
        title: `Delete user ${id}?`,
        texts: [
          'The user’s events with all their attendances, the user’s own attendances and blocks, '
          + 'and open reports about the user will be deleted. This can’t be undone.',
        ],
        path: `/users/${id}`, done: `User ${id} is deleted.`, next: '#/users',
      }),
    ),
    element('h2', {}, 'Reports about the user'),
    history(reports),
  ],
};
