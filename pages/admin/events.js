// The events: filters, a table, and a map of the same rows.

import { get, target } from './api.js';
import { badge, counted, element, foreign, link, period } from './dom.js';
import { checkbox, empty, isSilent, labelled, loading, pager, problem, table } from './parts.js';
import { hiding } from './reports.js';
import { SmallMap } from './map.js';

const pageSize = 100;
/** A search can return pages without events before the one that has some. */
const mostEmptyPages = 5;
const names = ['q', 'owner', 'hidden', 'reported', 'bbox'];

const states = { cancelled: 'Cancelled', postponed: 'Postponed' };
/** Returns the badges of an event's state. */
export const badges = (event) => [
  hiding(event),
  event.reports > 0 && badge(counted(event.reports, 'report'), 'warn'),
  event.visibility === 'private' && badge('Private'),
  states[event.status] && badge(states[event.status], 'warn'),
].flatMap((each) => (each ? [each, ' '] : []));

const load = async (query, signal) => {
  const values = Object.fromEntries(names.map((name) => [name, query.get(name)]));
  const list = { ...values, status: 'any', sort: '-id', limit: pageSize };
  let cursor = query.get('cursor');
  let page = { items: [], next: null };
  for (let tries = 0; tries <= mostEmptyPages; tries += 1) {
    page = await get(target('/events', { ...list, cursor }), signal);
    cursor = page.next;
    if (page.items.length > 0 || page.next === null) break;
  }
  return page;
};

const columns = [
  ['Event', (event) => [
    link(`#/events/${event.id}`, foreign(event.name, 'Unnamed event')), ' ', badges(event),
  ], 'wide'],
  ['When and where', (event) => [
    element('div', {}, period(event)),
    event.address && element('div', { className: 'faint' }, foreign(event.address)),
  ]],
  ['Owner', ({ owner }) => owner && link(`#/users/${owner.id}`, `user ${owner.id}`), 'short'],
];

/** The fields of the filters; they change the query in the hash. */
const filters = (query, change) => {
  const value = (name) => query.get(name) ?? '';
  const words = element('input', {
    id: 'q', type: 'search', value: value('q'), maxLength: 100, enterKeyHint: 'search',
  });
  const owner = element('input', {
    id: 'owner', inputMode: 'numeric', pattern: '[0-9]*', value: value('owner'), size: 8,
    maxLength: 16,
  });
  const hidden = element(
    'select', { id: 'hidden', on: { change: () => apply({ hidden: hidden.value }) } },
    [['', 'All'], ['yes', 'Hidden'], ['no', 'Not hidden']].map(([key, text]) =>
      element('option', { value: key, selected: key === value('hidden') }, text)),
  );
  const reported = checkbox('Reported', {
    id: 'reported', checked: value('reported') === 'yes',
    on: { change: ({ target: { checked } }) => apply({ reported: checked ? 'yes' : '' }) },
  });
  const here = checkbox('Only in this map view', {
    id: 'here', checked: value('bbox') !== '',
    on: { change: ({ target: { checked } }) => apply({ bbox: checked }) },
  });
  const apply = (values) => change({
    q: words.value.trim(), owner: owner.value.trim(), ...values,
  });
  const submit = (event) => {
    event.preventDefault();
    apply({});
  };
  return element(
    'form', { className: 'filters', role: 'search', on: { submit } },
    labelled('Words', words), labelled('Owner’s number', owner), labelled('Hidden', hidden),
    reported, here, element('button', { className: 'quiet' }, 'Search'),
  );
};

export const events = {
  title: () => 'Events',
  className: 'spacious',
  // The map stays when the filters change, so the rows are loaded here.
  show: (page) => {
    const area = element('section', { className: 'map', aria: { label: 'Map' } });
    const list = element('div', { className: 'rows' }, loading());
    const box = element('div', {});
    let map;
    let rows = new Map();
    let selected;
    let abort;
    /** The box in which the map was left, and the one in the query then. */
    let placed;
    let wanted;

    const select = (id, isScrolled) => {
      rows.get(selected)?.row.classList.remove('current');
      selected = id;
      const { row, event } = rows.get(id);
      row.classList.add('current');
      map.mark = event;
      if (isScrolled) row.querySelector('a').focus();
    };

    const change = (values) => {
      const query = new URLSearchParams(page.query);
      query.delete('cursor');
      for (const [name, value] of Object.entries(values)) {
        if (value === true) wanted = map.box;
        if (value) query.set(name, value === true ? wanted : value);
        else query.delete(name);
      }
      location.hash = `#/events?${query}`;
    };

    const update = async () => {
      const focused = box.contains(document.activeElement) ? document.activeElement.id : '';
      box.replaceChildren(filters(page.query, change));
      if (focused) document.getElementById(focused)?.focus();
      await search();
    };

    const search = async () => {
      abort?.abort();
      abort = new AbortController();
      const { signal } = abort;
      list.ariaBusy = 'true';
      try {
        const found = await load(page.query, signal);
        if (signal.aborted) return;
        show(found);
      } catch (error) {
        if (signal.aborted || isSilent(error)) return;
        list.replaceChildren(problem(error, search));
      }
      list.ariaBusy = null;
    };

    const show = ({ items, next }) => {
      rows = new Map();
      const prepare = (row, event) => {
        rows.set(event.id, { row, event });
        row.addEventListener('focusin', () => select(event.id));
        row.addEventListener('click', () => select(event.id));
      };
      const status = items.length === 0 ? '' : `${counted(items.length, 'event')}${
        next ? ', more on the next page' : ''}, newest first.`;
      list.replaceChildren(
        element('p', { className: 'faint', role: 'status' }, status),
        items.length === 0 ? empty('No events match. Change the filters.')
          : table('Events', columns, items, prepare),
        pager('events', page.query, next) || '',
      );
      map.mark = undefined;
      map.events = items;
      const box = page.query.get('bbox');
      const isFixed = box && (box === wanted || map.showBox(box));
      if (!isFixed) map.fit(items);
      wanted = box;
      placed = map.box;
    };

    page.closing.signal.addEventListener('abort', () => abort?.abort());
    page.update = update;
    page.ready = () => {
      map = new SmallMap(
        area, 'Map of the events. Arrow keys move it, plus and minus zoom.', page.closing.signal,
      );
      map.addEventListener('open', ({ detail }) => select(detail, true));
      map.addEventListener('move', () => {
        if (!page.query.has('bbox') || !placed || placed === map.box) return;
        const query = new URLSearchParams(page.query);
        query.delete('cursor');
        wanted = map.box;
        query.set('bbox', wanted);
        history.replaceState(null, '', `#/events?${query}`);
        page.query = query;
        search();
      });
      update();
    };
    return [box, element('div', { className: 'beside' }, area, list)];
  },
};
