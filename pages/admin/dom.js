// Creates elements. Texts of users become text nodes only, and never HTML, URLs or styles.

/** Returns an element with properties, `data`, `aria` and `on`, and children; lists are spread. */
export const element = (name, { data = {}, aria = {}, on = {}, ...rest } = {}, ...children) => {
  const made = document.createElement(name);
  Object.assign(made, rest);
  Object.assign(made.dataset, data);
  for (const [key, value] of Object.entries(aria)) made.setAttribute(`aria-${key}`, value);
  for (const [type, listener] of Object.entries(on)) made.addEventListener(type, listener);
  made.append(...children.flat(Infinity)
    .filter((child) => child !== undefined && child !== null && child !== '' && child !== false)
    .map((child) => (child instanceof Node ? child : String(child))));
  return made;
};

/** Returns a text of users, whose direction doesn't affect the text around it. */
export const foreign = (text, fallback = '') => element('bdi', {}, text || fallback);

/** Returns a link within the page. */
export const link = (hash, ...children) => element('a', { href: hash }, ...children);

/** Returns a link to a text of users if it is an http or https URL, otherwise the text. */
export const outside = (text) => {
  let url;
  try {
    url = new URL(text);
  } catch {
    return foreign(text);
  }
  if (!['http:', 'https:'].includes(url.protocol)) return foreign(text);
  return element(
    'a', { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow ugc' },
    foreign(text),
  );
};

const language = /^en\b/.test(navigator.language) ? navigator.language : 'en-GB';
const numbers = new Intl.NumberFormat(language);
const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

/** Returns a number with separators, and a `+` if it has reached its limit. */
export const count = (value, limit = Infinity) =>
  `${numbers.format(value ?? 0)}${value >= limit ? '+' : ''}`;

/** Returns a count with a noun, such as "1 event". */
export const counted = (value, noun, limit) =>
  `${count(value, limit)} ${noun}${value === 1 ? '' : 's'}`;

/** Returns a time in the admin's time zone; its title is the time in UTC. */
export const time = (value, isDay = false) => {
  const date = new Date(value ?? NaN);
  if (Number.isNaN(date.getTime())) return '–';
  const text = (isDay ? days : moment).format(date);
  return element('time', { dateTime: value, title: value }, text);
};

/** Returns the time since or until a moment, such as "3 hours ago". */
export const ago = (value) => {
  const minutes = (Date.parse(value) - Date.now()) / 60000;
  if (Number.isNaN(minutes)) return '';
  const size = Math.abs(minutes);
  const [amount, unit] = size < 60 ? [minutes, 'minute'] : size < 2880 ? [minutes / 60, 'hour']
    : size < 86400 ? [minutes / 1440, 'day'] : [minutes / 43800, 'month'];
  return relative.format(Math.round(amount), unit);
};

/** Returns the times of an event. */
export const period = ({ started_at: start, ended_at: end, all_day: isDay }) =>
  (end ? [time(start, isDay), ' – ', time(end, isDay)] : [time(start, isDay)]);

/** Returns a number of bytes in a readable unit. */
export const bytes = (value) => {
  if (value === undefined) return '–';
  if (value < 1000) return `${value} B`;
  const level = Math.min(4, Math.floor(Math.log10(value) / 3));
  const amount = value / 1000 ** level;
  return `${numbers.format(amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount))} `
    + ['B', 'kB', 'MB', 'GB', 'TB'][level];
};

/** Returns a small label; `tone` is `bad`, `warn`, `good` or nothing. */
export const badge = (text, tone = '') => element('span', { className: `badge ${tone}` }, text);
