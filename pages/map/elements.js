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

const states = { cancelled: 'Cancelled', postponed: 'Postponed' };

/** Returns a badge for an event that does not take place as planned. */
const state = ({ status }) => (states[status]
  ? element('p', { className: 'badge off' }, states[status]) : undefined);

const when = (event) => element(
  'p',
  { className: 'when' },
  element('time', { dateTime: event.started_at }, words.period(event)),
);

/** Returns the distance of an event, and the time until it starts. */
const facts = (event, at) => {
  const near = words.nearness(event);
  const badge = element('p', { className: near === 'now' ? 'badge live' : 'badge' }, near);
  const isOff = states[event.status] !== undefined;
  return element(
    'div', { className: 'facts' }, state(event), wayTo(event, at), near === '' || isOff ? '' : badge,
  );
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
const name = (event) => element(
  'bdi', { className: states[event.status] ? 'off' : '' }, event.name || 'Unnamed event',
);

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

/** Returns a text of several lines, and a button that shows all of a long one. */
const description = ({ description: text }) => {
  if (!text) return [];
  const paragraph = element('p', { className: 'description', dir: 'auto', id: 'card-text' }, text);
  const button = element(
    'button',
    {
      type: 'button', className: 'plain', hidden: true,
      aria: { expanded: 'false', controls: 'card-text' },
    },
    'Show all of it',
  );
  button.addEventListener('click', () => {
    const isWhole = paragraph.classList.toggle('whole');
    button.setAttribute('aria-expanded', String(isWhole));
    button.textContent = isWhole ? 'Show less' : 'Show all of it';
  });
  return [paragraph, button];
};

/** Unhides the button of a description that is too long for its card. */
export const unhideMore = (shown) => {
  const text = shown.querySelector('.description');
  if (text && text.scrollHeight > text.clientHeight + 1) text.nextElementSibling.hidden = false;
};

const tags = ({ tags: list }) => (Array.isArray(list) && list.length > 0
  ? element(
    'ul',
    { className: 'tags', aria: { label: 'Tags' } },
    ...list.map((tag) => element('li', {}, element('bdi', {}, tag))),
  ) : undefined);

/** Returns the URL of a text that is an http or https URL, or undefined. */
const webAddress = (text) => {
  try {
    const url = new URL(text);
    return ['http:', 'https:'].includes(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
};

const website = ({ url: text }) => {
  const url = webAddress(text);
  return url ? element(
    'a',
    {
      className: 'website', href: url.href, target: '_blank',
      rel: 'noopener noreferrer nofollow ugc',
    },
    'Website ',
    element('bdi', {}, url.host),
  ) : undefined;
};

/** Whether images of a URL may be loaded from these hosts, such as `*.example.com`. */
const isAllowed = (url, hosts) => url?.protocol === 'https:' && url.port === ''
  && hosts.some((host) =>
    (host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host));

const image = ({ image_url: text }, hosts) => {
  const url = webAddress(text);
  if (!isAllowed(url, hosts)) return undefined;
  // These are set before the URL, because that starts the request.
  const made = element('img', {
    className: 'image', alt: '', loading: 'lazy', referrerPolicy: 'no-referrer',
  });
  made.addEventListener('error', () => made.remove());
  made.src = url.href;
  return made;
};

/**
 * Returns an event's card; `close` is called when the user closes it.
 *
 * The card shows an image only if it is on one of these `hosts`.
 */
export const card = (event, at, hosts, close) => {
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
    image(event, hosts),
    ...description(event),
    tags(event),
    website(event),
    element('div', { className: 'actions' }, calendarLink(event, 'Add to calendar')),
    button,
  );
};
