// One event: its state, its form with a map, and the reports about it.

import { draft, Problem, request, session } from './api.js';
import { count, element, foreign, link, outside, time } from './dom.js';
import {
  actions, button, changer, checkbox, deleter, facts, isSilent, labelled, problem, refresh, toast,
} from './parts.js';
import { badges } from './events.js';
import { SmallMap } from './map.js';
import { history, reportsAbout } from './reports.js';
import { banButton } from './users.js';

/** The number at which the server stops counting attendances. */
const most = 10000;

/** The attributes of the form, in the order of the API's errors. */
const attributes = [
  { key: 'name', label: 'Name', required: true },
  { key: 'address', label: 'Address' },
  { key: 'lat', label: 'Latitude', kind: 'number', required: true },
  { key: 'lon', label: 'Longitude', kind: 'number', required: true },
  { key: 'started_at', label: 'Start', kind: 'time', required: true },
  { key: 'ended_at', label: 'End', kind: 'time' },
  { key: 'all_day', label: 'All day', kind: 'flag' },
  { key: 'description', label: 'Description', kind: 'text' },
  { key: 'url', label: 'URL', hint: 'An http or https URL.' },
  { key: 'image_url', label: 'Image URL', hint: 'An http or https URL.' },
  { key: 'category', label: 'Category', hint: 'Letters a–z, digits and hyphens.' },
  { key: 'tags', label: 'Tags', hint: 'Up to 10, separated by commas.' },
  {
    key: 'status', label: 'Status', kind: 'choice',
    choices: ['scheduled', 'cancelled', 'postponed'],
  },
  { key: 'data', label: 'Data', kind: 'text', hint: 'A JSON object.' },
];

/** Parses JSON so that numbers are written as they were read, where the browser can do it. */
const exact = (text) => JSON.parse(text, (_, value, context) =>
  (typeof value === 'number' && context?.source && JSON.rawJSON
    ? JSON.rawJSON(context.source) : value));

/** Returns a time as the text of its field: a day in UTC, or a local time. */
const toField = (value, isDay) => {
  const date = new Date(value ?? NaN);
  if (Number.isNaN(date.getTime())) return '';
  if (isDay) return date.toISOString().slice(0, 10);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
};

/** Returns the texts of all fields for an event. */
const textsOf = (event, text) => Object.fromEntries(attributes.map(({ key, kind }) => {
  const value = event[key];
  if (kind === 'time') return [key, toField(value, event.all_day)];
  if (kind === 'flag') return [key, value ? 'yes' : ''];
  if (key === 'status') return [key, value ?? 'scheduled'];
  if (key === 'tags') return [key, (value ?? []).join(', ')];
  if (key === 'data') return [key, value ? JSON.stringify(exact(text).data, null, 2) : ''];
  return [key, String(value ?? '')];
}));

/** Returns the value to send for a text of a field. */
const sent = (key, kind, text) => {
  if (kind === 'flag') return text !== '';
  if (text.trim() === '') return null;
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === 'time' && text.includes('T')) return new Date(text).toISOString();
  if (key === 'tags') return text.split(',').map((tag) => tag.trim()).filter(Boolean);
  if (key === 'data') {
    try {
      return exact(text);
    } catch {
      throw new Problem('Data must be a JSON object.');
    }
  }
  return text;
};

const control = ({ key, kind, label, required = false, hint, choices }, text) => {
  const shared = { id: `field-${key}`, name: key, required };
  if (kind === 'flag') return checkbox(label, { ...shared, checked: text !== '' });
  if (kind === 'choice') {
    return labelled(label, element('select', shared, choices.map((choice) =>
      element('option', { value: choice, selected: choice === text }, choice))));
  }
  if (kind === 'text') {
    const rows = key === 'data' ? 3 : 5;
    return labelled(label, element('textarea', { ...shared, rows, value: text }), hint);
  }
  const inputMode = kind === 'number' ? 'decimal' : '';
  const field = { ...shared, value: text, inputMode, dir: 'auto' };
  return labelled(label, element('input', field), hint);
};

const textIn = (field) => (field.type === 'checkbox' ? (field.checked ? 'yes' : '') : field.value);

/** Stores the unsaved changes of an event beside those of others; without values, removes them. */
const keepDraft = (id, values = {}, etag = undefined) => {
  const mine = Object.keys(values).length > 0 ? { etag, values } : undefined;
  const events = { ...draft.current?.events, [id]: mine };
  draft.current = { admin: session.current?.admin.name, events };
};

/** Returns the form of an event, and `place`, which sets the place in it. */
const editor = (page, { event, texts, etag }, didPlace) => {
  const mine = draft.current?.events?.[page.id];
  const base = mine?.etag ?? etag;
  const notice = element('p', { className: 'notice', role: 'status', hidden: !mine },
    'Your unsaved changes are in the form.');
  const outcome = element('div', {});
  const fields = attributes.map((each) => control(each, texts[each.key]));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const hint = element('p', { className: 'hint' });
  const form = element('form', { className: 'form', noValidate: true }, notice, fields, hint);
  const field = (name) => form.elements[name];

  const setKinds = () => {
    const isDay = field('all_day').checked;
    hint.textContent = isDay ? 'Start and end are days.' : `Times are in your time zone, ${zone}.`;
    for (const name of ['started_at', 'ended_at']) {
      const input = field(name);
      const before = input.value;
      input.type = isDay ? 'date' : 'datetime-local';
      if (!isDay) input.step = 1;
      input.value = isDay ? before.slice(0, 10)
        : before.length === 10 ? `${before}T00:00:00` : before;
    }
  };
  setKinds();
  const shown = () => attributes.map(({ key }) => [key, textIn(field(key))]);
  // Fields change some texts, such as those with line breaks, which isn't a change by the admin.
  const original = Object.fromEntries(shown());
  const { all_day: day, ...others } = mine?.values ?? {};
  if (day !== undefined) field('all_day').checked = day !== '';
  setKinds();
  for (const [name, text] of Object.entries(others)) field(name).value = text;

  const changed = () => Object.fromEntries(shown().filter(([name, text]) =>
    text !== original[name]));
  const keep = () => keepDraft(page.id, changed(), base);
  form.addEventListener('input', ({ target }) => {
    if (target.name === 'all_day') setKinds();
    if (['lat', 'lon'].includes(target.name)) didPlace(placed(), true);
    keep();
  });

  const placed = () => {
    const [lat, lon] = ['lat', 'lon'].map((name) =>
      (field(name).value.trim() === '' ? NaN : Number(field(name).value)));
    return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : undefined;
  };
  const place = ({ lat, lon }) => {
    field('lat').value = lat.toFixed(6);
    field('lon').value = lon.toFixed(6);
    didPlace(placed(), false);
    keep();
  };

  const loadAgain = () => {
    // The changes stay, for the event as it is now.
    keepDraft(page.id, changed());
    refresh();
  };
  const save = async () => {
    const before = Object.fromEntries(shown());
    const found = changed();
    if (Object.keys(found).length === 0) {
      outcome.replaceChildren(element('p', { role: 'status' }, 'Nothing has changed.'));
      return;
    }
    const body = JSON.stringify(Object.fromEntries(attributes
      .filter((each) => each.key in found)
      .map((each) => [each.key, sent(each.key, each.kind, found[each.key])])));
    const { action } = await request('PATCH', `/events/${page.id}`, { body, etag: base });
    // What the admin has typed meanwhile stays.
    const later = shown().filter(([name, text]) => text !== before[name]);
    keepDraft(page.id, Object.fromEntries(later));
    toast('Saved.', action);
    refresh();
  };
  form.addEventListener('submit', async (submission) => {
    submission.preventDefault();
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    outcome.replaceChildren();
    try {
      await save();
    } catch (error) {
      if (isSilent(error)) return;
      const isOld = error.status === 412;
      outcome.replaceChildren(problem(error, isOld && loadAgain, 'Load it again'));
    } finally {
      form.ariaBusy = null;
    }
  });
  form.append(actions(
    element('button', {}, 'Save'),
    button('Discard changes', async () => {
      keepDraft(page.id);
      refresh();
    }),
  ), outcome);
  if (!event.name) field('name').placeholder = 'Unnamed event';
  return { form, place, placed };
};

const buttons = (event) => {
  const { id, owner, attendances, reports } = event;
  const canUndo = attendances < most ? 'This can be undone within 90 days.'
    : 'If it has more than 10,000 attendances, this can’t be undone.';
  return actions(
    event.hidden ? changer('Show', 'Shown.', `/events/${id}/show`)
      : reports > 0
        ? changer('Hide', 'Hidden. Its reports are closed.', '/reports/resolve',
          { body: { event: id, action: 'hide' } })
        : changer('Hide', 'Hidden.', `/events/${id}/hide`),
    owner && banButton(owner.id, false, 'Ban owner'),
    deleter('Delete', {
      title: `Delete event ${id}?`,
      texts: [`The event and its attendances (${count(attendances, most)}) will be deleted. `
        + canUndo],
      path: `/events/${id}`, done: `Event ${id} is deleted.`, next: '#/events',
    }),
  );
};

const description = (event) => facts([
  ['Owner', event.owner && [
    link(`#/users/${event.owner.id}`, `user ${event.owner.id}`), ', ',
    link(`#/events?owner=${event.owner.id}`, 'events'),
  ]],
  ['Attendances', count(event.attendances, most)],
  ['Created', event.created_at && time(event.created_at)],
  ['Changed', event.updated_at && time(event.updated_at)],
  ['Visibility', event.visibility ?? 'public'],
  ['Series', event.series_id && foreign(event.series_id)],
  ['URL', event.url && outside(event.url)],
  ['Image', event.image_url && outside(event.image_url)],
]);

export const event = {
  title: (id) => `Event ${id}`,
  className: 'spacious',
  load: async ({ id, signal }) => {
    const [{ body, text, etag }, reports] = await Promise.all([
      request('GET', `/events/${id}`, { signal }), reportsAbout('event', id, signal),
    ]);
    return { event: body, texts: textsOf(body, text), etag, reports };
  },
  show: (page, found) => {
    const { event: shown, reports } = found;
    const area = element('section', { className: 'map places', aria: { label: 'Place' } });
    let map;
    const { form, place, placed } = editor(page, found, (at, isTyped) => {
      map.mark = at;
      if (at && isTyped) map.show(at);
    });
    page.ready = () => {
      map = new SmallMap(
        area, 'Map of the place. A click sets the place of the event. Arrow keys move the map, '
        + 'and Enter sets the place at its centre.', page.closing.signal,
      );
      const at = placed() ?? shown;
      map.show({ ...at, zoom: 12 });
      map.mark = at;
      map.addEventListener('pick', ({ detail }) => place(detail));
    };
    return [
      element('p', { className: 'lead' }, foreign(shown.name, 'Unnamed event'), ' ',
        badges(shown)),
      buttons(shown),
      description(shown),
      element('div', { className: 'beside' },
        element('div', { className: 'where' },
          element('p', { className: 'hint' }, 'Click the map to set the place. With the keyboard, '
            + 'move the map with the arrow keys and press Enter.'), area),
        element('div', { className: 'rows' }, element('h2', {}, 'Edit'), form)),
      element('h2', {}, 'Reports about the event'),
      history(reports),
    ];
  },
};
