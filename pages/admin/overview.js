// The overview: what needs attention first, then numbers.

import { get } from './api.js';
import { ago, badge, bytes, count, element, link, time } from './dom.js';
import { empty, facts } from './parts.js';

const grades = { problem: ['Problem', 'bad'], warning: ['Warning', 'warn'], ok: ['OK', 'good'] };

// Parts of the text in backquotes are code.
const prose = (text) => text.split('`')
  .map((part, index) => (index % 2 ? element('code', {}, part) : part));

const finding = ({ grade, subject, text, advice }) => {
  const [name, tone] = grades[grade] ?? [grade, ''];
  return element(
    'li', { className: `finding ${tone}` }, element('h3', {}, badge(name, tone), ' ', subject),
    element('p', {}, ...prose(text)),
    advice && element('p', { className: 'faint' }, ...prose(advice)),
  );
};

const rest = 'Run `humon doctor` on the server to check files, database and machine, too.';

const tile = (name, value, hash, note) => element(
  'li', { className: 'tile' },
  element('span', { className: 'faint' }, hash ? link(hash, name) : name), element('b', {}, value),
  note && element('span', { className: 'faint' }, note),
);

export const overview = {
  title: () => 'Overview',
  load: ({ signal }) => get('/overview', signal),
  show: (_, { findings = [], records = {}, bytes: sizes = {}, ...found }) => {
    const worst = Object.keys(grades);
    const sorted = findings.toSorted((a, b) => worst.indexOf(a.grade) - worst.indexOf(b.grade));
    const wal = sizes.wal > 0 ? `and ${bytes(sizes.wal)} of write-ahead log` : '';
    return [
      element('h2', {}, 'Findings'),
      sorted.length > 0 ? element('ul', { className: 'findings' }, sorted.map(finding))
        : empty('Nothing to do. All checks passed.'),
      element('p', { className: 'faint' }, ...prose(rest)),
      element('h2', {}, 'Numbers'),
      element(
        'ul', { className: 'tiles' }, tile('Open reports', count(found.open_reports), '#/reports',
          found.oldest_report && `the oldest ${ago(found.oldest_report)}`),
        tile('Events', count(records.events), '#/events'),
        tile('Hidden events', count(records.hidden), '#/events?hidden=yes'),
        tile('Users', count(records.users), '#/users'),
        tile('Attendances', count(records.attendances)),
        tile('Accounts', count(records.accounts), '#/accounts'),
        tile('Database', bytes(sizes.database), undefined, wal),
        tile('Last backup', found.last_backup ? ago(found.last_backup) : 'none', '#/backups',
          sizes.backups > 0 && `${bytes(sizes.backups)} in total`),
      ),
      element('h2', {}, 'Server'),
      facts([
        ['Version', found.version],
        ['Started', [time(found.started_at), ` (${ago(found.started_at)})`]],
        ['Database', found.database === 'postgresql' ? 'PostgreSQL' : 'SQLite'],
      ]),
    ];
  },
};
