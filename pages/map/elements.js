// Creates elements of the page. Texts of events are never parsed as HTML.

import { measure } from './mercator.js';
import * as words from './words.js';
import { target, units } from './api.js';

/** Returns a new element with properties, `data` and `aria` attributes, and children. */
export const element = (name, { data = {}, aria = {}, ...properties } = {}, ...children) => {
  const made = document.createElement(name);
  Object.assign(made, properties);
  Object.assign(made.dataset, data);
  for (const [key, value] of Object.entries(aria)) made.setAttribute(`aria-${key}`, value);
  made.append(...children.filter((child) => child !== undefined && child !== ''));
  return made;
};

/** Returns a symbol of the page. */
export const symbol = (id) => {
  const namespace = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(namespace, 'svg');
  const use = document.createElementNS(namespace, 'use');
  use.setAttribute('href', `#symbol-${id}`);
  picture.setAttribute('aria-hidden', 'true');
  picture.setAttribute('class', 'symbol');
  picture.append(use);
  return picture;
};

/** Returns the distance and direction of an event from a place, or undefined without a place. */
const wayTo = (event, at) => {
  if (!at) return undefined;
  const { metres, bearing } = measure(at, event);
  const distance = element('span', {}, words.length(metres, units));
  if (metres < 1) return element('p', { className: 'way' }, distance);
  const { short, long } = words.direction(event.bearing ?? bearing);
  const arrow = symbol('arrow');
  arrow.style.transform = `rotate(${event.bearing ?? bearing}deg)`;
  const name = element('abbr', { title: long }, short);
  return element('p', { className: 'way' }, arrow, distance, ' ', name);
};

const when = (event) => element(
  'p',
  { className: 'when' },
  element('time', { dateTime: event.started_at }, words.period(event)),
);

/** Returns the distance of an event, and the time until it starts. */
const facts = (event, at) => {
  const near = words.nearness(event);
  const badge = element('p', { className: near === 'now' ? 'badge live' : 'badge' }, near);
  return element('div', { className: 'facts' }, wayTo(event, at), near === '' ? '' : badge);
};

const calendarLink = (event, text) => element(
  'a',
  {
    className: 'calendar',
    href: target(`/v1/events/${event.id}.ics`),
    type: 'text/calendar',
    title: 'Add to calendar',
    aria: { label: `Add to calendar: ${event.name}` },
  },
  symbol('calendar'),
  text,
);

/** Returns an element with an event's name, which is text from other users. */
const name = (event) => element('bdi', {}, event.name || 'Unnamed event');

const address = (event) => element(
  'p',
  { className: 'address' },
  element('bdi', {}, event.address || words.degrees(event)),
);

/** Returns a row of the list; `open` is called when its name is clicked. */
export const row = (event, at, open) => {
  const { weekday, day, month } = words.leaf(event);
  const leaf = element(
    'div',
    { className: 'leaf', aria: { hidden: 'true' } },
    element('span', {}, weekday),
    element('b', {}, String(day)),
    element('span', {}, month),
  );
  const button = element('button', { type: 'button', className: 'name' }, name(event));
  button.addEventListener('click', () => open(event, button));
  return element(
    'li',
    { className: 'row', data: { id: event.id } },
    leaf,
    element(
      'div',
      { className: 'about' },
      element('h2', {}, button),
      when(event),
      event.address ? address(event) : undefined,
      facts(event, at),
    ),
    calendarLink(event),
  );
};

/** Returns an event's card; `close` is called when the user closes it. */
export const card = (event, at, close) => {
  const heading = element('h2', { id: 'card-name', tabIndex: -1 }, name(event));
  const button = element(
    'button',
    { type: 'button', className: 'close', title: 'Close', aria: { label: 'Close' } },
    symbol('cross'),
  );
  button.addEventListener('click', close);
  return element(
    'article',
    { className: 'card', data: { id: event.id }, aria: { labelledby: 'card-name' } },
    heading,
    when(event),
    address(event),
    facts(event, at),
    element('div', { className: 'actions' }, calendarLink(event, 'Add to calendar')),
    button,
  );
};
