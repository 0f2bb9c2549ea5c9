// Backups, settings and the audit.

import { get, request, settings as page, target } from './api.js';
import { badge, bytes, element, foreign, link, time } from './dom.js';
import {
  actions, button, changer, empty, labelled, pager, refresh, table, toast,
} from './parts.js';

const download = ({ name }) => Object.assign(button('Download', async () => {
  const path = `/backups/${encodeURIComponent(name)}/link`;
  const { body } = await request('POST', path);
  element('a', { href: body.url, download: name }).click();
}, { label: `Download ${name}` }), { id: `download-${name}` });

const backupColumns = [
  ['Backup', ({ name }) => element('code', {}, name)],
  ['Started', ({ started_at: at }) => time(at), 'short'],
  ['Size', (each) => bytes(each.bytes), 'amount'],
  ['State', ({ sealed }) => (sealed ? badge('Complete', 'good') : badge('Not complete', 'warn'))],
  ['Actions', (each) => actions(download(each)), 'buttons'],
];

let wasRunning = false;
let timer;

export const backups = {
  title: () => 'Backups',
  load: ({ signal }) => get('/backups', signal),
  show: ({ closing }, { items, running, fault }) => {
    if (page.database === 'postgresql') {
      return [element(
        'p', {}, 'Back up PostgreSQL with its own programs: ', element('code', {}, 'pg_dump'),
        ' for one file, or ', element('code', {}, 'pg_basebackup'),
        ' and WAL archiving for restores to any point in time.',
      )];
    }
    clearTimeout(timer);
    if (running) timer = setTimeout(() => closing.signal.aborted || refresh(), 2000);
    else if (wasRunning && !fault) toast('The backup has ended.');
    wasRunning = Boolean(running);
    return [
      running ? element('p', { role: 'status', className: 'notice' }, 'A backup is running…')
        : actions(button('Back up now', async () => {
          await request('POST', '/backups');
          wasRunning = true;
          refresh();
        }, { className: '' })),
      !running && fault && element('p', { className: 'problem', role: 'alert' },
        `The last backup failed: ${fault}`),
      items.length === 0 ? empty('There are no backups yet.')
        : table('Backups', backupColumns, items),
      empty('To restore one, stop the server and run humon restore FILE.'),
    ];
  },
};

const none = () => element('span', { className: 'faint' }, 'none');
const isChanged = ({ origin }) => origin !== 'default';

const settingColumns = [
  ['Setting', ({ name }) => element('code', {}, name)],
  ['Value', ({ value }) => (value ? element('code', {}, foreign(value)) : none())],
  ['Origin', (each) => (isChanged(each) ? badge(each.origin, 'warn') : each.origin), 'short'],
];

export const settings = {
  title: () => 'Settings',
  load: ({ signal }) => get('/settings', signal),
  show: (_, { items }) => {
    const sorted = items.toSorted((a, b) => isChanged(b) - isChanged(a));
    const box = element('div', {});
    const filter = () => {
      const words = field.value.trim().toLowerCase();
      const found = sorted.filter(({ name, value }) =>
        `${name} ${value ?? ''}`.toLowerCase().includes(words));
      box.replaceChildren(found.length === 0 ? empty('No setting has this text.')
        : table('Settings', settingColumns, found));
    };
    const field = element('input', { id: 'search', type: 'search', on: { input: filter } });
    filter();
    return [
      element('p', { className: 'faint' }, 'Settings that differ from the default come first. '
        + 'Change them in the environment of the server, then restart it.'),
      element('div', { className: 'filters' }, labelled('Search', field)),
      box,
    ];
  },
};

const object = (value) => {
  try {
    const read = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
};
const shown = (value) => {
  if (value === null || value === undefined) return none();
  return foreign(typeof value === 'string' ? value : JSON.stringify(value));
};

/** Returns what an action has changed, a line for each value. */
const difference = ({ before, after }) => {
  const [old, now] = [object(before), object(after)];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]));
  return keys.length > 0 && element('ul', { className: 'difference' }, keys.map((key) => element(
    'li', {}, element('b', {}, key), ': ', shown(old[key]), ' → ', shown(now[key]),
  )));
};

const routes = { event: 'events', user: 'users' };

const auditColumns = [
  ['Time', ({ at }) => time(at), 'short'],
  ['Actor', ({ actor }) => foreign(actor), 'wide'],
  ['Action', ({ action }) => element('b', {}, action), 'short'],
  ['Record', ({ kind, record }) => {
    const text = [kind, record].filter(Boolean).join(' ');
    return routes[kind] && record ? link(`#/${routes[kind]}/${record}`, text) : text;
  }, 'short'],
  ['Change', (each) => difference(each) || '–', 'wide'],
  ['Undo', (each) => each.can_undo && actions(changer('Undo', 'Undone.',
    `/actions/${each.id}/undo`, { label: `Undo ${each.action} of ${each.record}` })),
  'buttons'],
];

export const audit = {
  title: () => 'Audit',
  load: ({ query, signal }) => get(target('/actions', { cursor: query.get('cursor') }), signal),
  show: ({ query }, { items, next }) => [
    items.length === 0 ? empty('No admin has changed anything yet.')
      : table('Audit', auditColumns, items),
    pager('audit', query, next),
  ],
};
