// Formats times, distances and directions for users.

const language = /^en\b/.test(navigator.language) ? navigator.language : 'en-GB';
const format = (options) => new Intl.DateTimeFormat(language, options);
const time = format({ hour: 'numeric', minute: '2-digit' });
const day = format({ weekday: 'short', day: 'numeric', month: 'short' });
const dayAndYear = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const month = format({ month: 'short' });
const weekday = format({ weekday: 'short' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const plain = new Intl.NumberFormat(language);
const points = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];
const pointNames = [
  'north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west',
];

const isSameDay = (a, b) => a.toDateString() === b.toDateString();

const dayName = (date, now) => {
  const tomorrow = new Date(now);
  tomorrow.setDate(now.getDate() + 1);
  if (isSameDay(date, now)) return 'Today';
  if (isSameDay(date, tomorrow)) return 'Tomorrow';
  return (date.getFullYear() === now.getFullYear() ? day : dayAndYear).format(date);
};

/** Returns the midnight before a date in UTC, in the user's time zone. */
const localDay = (date) => {
  const local = new Date(date);
  local.setFullYear(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  local.setHours(0, 0, 0, 0);
  return local;
};

/** Returns the start and the end of an event; the days of an all-day event are local ones. */
const times = ({ started_at: start, ended_at: end, all_day: isAllDay }) => {
  const [from, to] = [new Date(start), new Date(end ?? NaN)];
  if (!isAllDay) return { from, to };
  return { from: localDay(from), to: localDay(to > from ? to : from) };
};

/** Returns the time of an event, such as "Today, 20:00 – 23:00", or its days. */
export const period = (event, now = new Date()) => {
  const { from, to } = times(event);
  if (Number.isNaN(from.getTime())) return '';
  if (event.all_day) {
    const first = dayName(from, now);
    return isSameDay(from, to) ? first : `${first} – ${dayName(to, now)}`;
  }
  const beginning = `${dayName(from, now)}, ${time.format(from)}`;
  if (Number.isNaN(to.getTime()) || to <= from) return beginning;
  return isSameDay(from, to)
    ? `${beginning} – ${time.format(to)}`
    : `${beginning} – ${dayName(to, now)}, ${time.format(to)}`;
};

/** Returns the time until an event starts, such as "in 3 hours", or "now". */
export const nearness = (event, now = Date.now()) => {
  const dates = times(event);
  const from = dates.from.getTime();
  if (event.all_day) dates.to.setDate(dates.to.getDate() + 1);
  const to = Math.max(from, dates.to.getTime() || from);
  if (Number.isNaN(from)) return '';
  if (from <= now && now < Math.max(to, from + 60000)) return 'now';
  const minutes = ((from > now ? from : to) - now) / 60000;
  const [value, unit] = Math.abs(minutes) < 60 ? [minutes, 'minute']
    : Math.abs(minutes) < 36 * 60 ? [minutes / 60, 'hour']
    : Math.abs(minutes) < 60 * 24 * 60 ? [minutes / 1440, 'day']
    : Math.abs(minutes) < 700 * 24 * 60 ? [minutes / 43800, 'month'] : [minutes / 525600, 'year'];
  const text = relative.format(Math.round(value), unit);
  return from > now ? text : `ended ${text}`;
};

/** Returns the month, the day and the weekday of an event for its calendar sheet. */
export const leaf = (event) => {
  const date = times(event).from;
  if (Number.isNaN(date.getTime())) return { weekday: '', day: '?', month: '' };
  return { weekday: weekday.format(date), day: date.getDate(), month: month.format(date) };
};

/** Returns a distance in the user's unit, such as "350 m", "1.2 km" or "3,400 mi". */
export const length = (metres, units) => {
  if (units === 'km' && metres < 995) return `${plain.format(Math.round(metres / 10) * 10)} m`;
  if (units === 'mi' && metres < 160) return `${Math.round(metres * 3.28084 / 10) * 10} ft`;
  const value = metres / (units === 'mi' ? 1609.344 : 1000);
  return `${plain.format(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${units}`;
};

/** Returns a direction as its abbreviation and its name. */
export const direction = (degrees) => {
  const index = Math.round(degrees / 45) % 8;
  return { short: points[index], long: pointNames[index] };
};

/** Returns a count with a noun, such as "1 event" or "1,204 events". */
export const counted = (count, noun) =>
  `${plain.format(count)} ${noun}${count === 1 ? '' : 's'}`;

/** The badge of an open card whose event has left the list. */
export const gone = 'No longer in this list';

/** Returns a sentence about new events, or an empty text. Names can be in any direction. */
export const news = (events) => {
  if (events.length === 0) return '';
  if (events.length > 1) return `${counted(events.length, 'new event')}.`;
  return `New: “\u2068${events[0].name || 'Unnamed event'}\u2069”.`;
};

/** Returns a number in at most four characters, such as "999" or "12k". */
export const short = (count) => {
  if (count < 1000) return String(count);
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  return count < 999500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`;
};

/** Returns a place in degrees, such as "40.4168, −3.7038". */
export const degrees = ({ lat, lon }) => `${lat.toFixed(4)}, ${lon.toFixed(4)}`;
