// The reports of users: records with open reports, and the history of one record.

import { get, request, target } from './api.js';
import { ago, badge, count, counted, element, foreign, link, period, time } from './dom.js';
import { actions, ask, button, empty, pager, refresh, toast } from './parts.js';

const reasons = {
  spam: 'spam', offensive: 'offensive', illegal: 'illegal', child_safety: 'child safety',
  wrong: 'wrong', other: 'other', blocked: 'blocked the user', words: 'blocked words',
};
const reasonName = (reason) => reasons[reason] ?? reason;

const outcomes = {
  hide: 'hidden', delete: 'deleted', ban: 'owner banned', dismiss: 'dismissed', edited: 'edited',
  gone: 'record deleted',
};

const causes = {
  admin: 'Hidden by an admin', reports: 'Hidden by reports', words: 'Hidden by the word list',
  ban: 'Hidden: owner is banned',
};
/** Returns a badge that says why an event is hidden, or nothing. */
export const hiding = (event) => (event?.hidden
  ? badge(causes[event.hidden] ?? 'Hidden', 'bad') : '');

const reporter = ({ reporter: from, reason }) => {
  if (from) return link(`#/users/${from.id}`, `user ${from.id}`);
  return reason === 'words' ? 'the word list' : 'a deleted user';
};

const note = (report) => report.note && element('blockquote', { dir: 'auto' }, report.note);

const one = (report) => element(
  'li', {},
  element(
    'p', {}, badge(reasonName(report.reason), 'warn'), ' ', time(report.at), ', from ',
    reporter(report), report.outcome ? `: ${outcomes[report.outcome] ?? report.outcome}` : '',
  ),
  note(report),
);

/** Returns the list of reports about a record, open and closed. */
export const history = ({ items, next }) => (items.length === 0 ? empty('No reports.') : [
  element('ul', { className: 'history' }, items.map(one)),
  next && element('p', { className: 'faint' }, 'Only the newest 200 reports are shown.'),
]);

/** Returns the reports about a record, for `history`. */
export const reportsAbout = (kind, id, signal) =>
  get(target('/reports', { [kind]: id, limit: 200 }), signal);

/** Resolves the reports of a record, and returns a function that says so. */
const resolve = async (item, action, done) => {
  const body = { [item.kind]: item.id, action };
  const { action: number } = await request('POST', '/reports/resolve', { body });
  return () => {
    toast(done, number);
    refresh();
  };
};

const subject = ({ kind, id, event }) => {
  if (kind === 'user') return link(`#/users/${id}`, `User ${id}`);
  return link(`#/events/${id}`, foreign(event?.name, `Event ${id}`));
};

const deletion = (item) => button('Delete', async () => ask({
  title: `Delete event ${item.id}?`,
  texts: [
    'The event, its attendances and its open reports will be deleted.',
    'An event with up to 10,000 attendances can be restored within 90 days.',
  ],
  verb: 'Delete',
  run: () => resolve(item, 'delete', 'Deleted.'),
}), { className: 'danger', label: `Delete event ${item.id}` });

const card = (item) => {
  const { kind, id, event, latest } = item;
  const name = `${kind} ${id}`;
  const act = (text, action, done) => button(
    text, async () => (await resolve(item, action, done))(), { label: `${text}: ${name}` },
  );
  const more = element('div', {});
  const showAll = button('Show all reports', async () => {
    more.replaceChildren(element('div', {}, history(await reportsAbout(kind, id))));
  }, { className: 'quiet plain', label: `Show all reports about ${name}` });
  return element(
    'li', { className: 'panel report' }, element('h2', {}, subject(item), ' ', hiding(event)),
    event && element('p', { className: 'faint' }, period(event), event.address ? ', ' : '',
      foreign(event.address)),
    event && element('p', { className: 'faint' }, `Event ${id} of `,
      link(`#/users/${event.owner?.id}`, `user ${event.owner?.id}`), ', ',
      link(`#/events/${id}`, 'details and map')),
    element(
      'p', { className: 'reasons' },
      Object.entries(item.reasons ?? {}).map(([reason, number]) =>
        [badge(`${reasonName(reason)}: ${count(number)}`, 'warn'), ' ']),
    ),
    element('p', {}, `${counted(item.reporters, 'reporter')}, first `,
      element('span', { title: item.since }, ago(item.since)), '. Latest from ',
      reporter(latest ?? {}), ':'),
    latest && (note(latest) || element('p', { className: 'faint' }, 'without a note')),
    actions(
      kind === 'event' && act('Hide', 'hide', 'Hidden.'),
      act('Dismiss', 'dismiss', 'Dismissed.'),
      act(kind === 'event' ? 'Ban owner' : 'Ban', 'ban', 'Banned.'),
      kind === 'event' && deletion(item),
      showAll,
    ),
    more,
  );
};

export const reports = {
  title: () => 'Reports',
  load: ({ query, signal }) => get(target('/reports', { cursor: query.get('cursor') }), signal),
  show: ({ query }, { items, next }) => [
    items.length === 0
      ? empty('Nothing to do. There are no open reports.')
      : element('ul', { className: 'cards' }, items.map(card)),
    pager('reports', query, next),
  ],
};
