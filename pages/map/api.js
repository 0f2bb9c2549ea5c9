// The requests to the server, and its errors in words.

/** A failed request; `message` is a sentence for the user. */
export class Problem extends Error {
  /** Whether the same request may succeed later. */
  isTemporary;
  /** The server's messages, one for each invalid parameter. */
  errors;

  constructor(message, isTemporary, errors = []) {
    super(message);
    this.isTemporary = isTemporary;
    this.errors = errors;
  }
}

const unreachable = () => new Problem(
  navigator.onLine
    ? 'The server can’t be reached. Check your connection.'
    : 'You are offline. The map will load events again when you are back online.',
  true,
);

/** Returns the problem that an error response describes. */
const problem = (status, body) => {
  const errors = Array.isArray(body?.errors) ? body.errors.map(String) : [];
  if (errors.some((error) => error.startsWith('Query is too broad'))) {
    return new Problem(
      'There are too many events to search here. Zoom in, or choose a time.',
      false,
    );
  }
  switch (status) {
    case 422:
      return new Problem(`The server rejected the search: ${errors.join(', ')}.`, false, errors);
    case 429: return new Problem('Too many requests. Wait a moment, then try again.', true);
    case 503: return new Problem('The server is busy. Try again in a moment.', true);
    case 404: return new Problem('This event no longer exists.', false);
    default: return new Problem(`The server reported an error (${status}).`, status >= 500);
  }
};

/** The path below which a proxy serves the server, or an empty text. */
const prefix = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

/** Returns a path of the server with parameters; undefined ones are omitted. */
export const target = (path, parameters = {}) => {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(pairs).toString().replaceAll('%2C', ',');
  return prefix + (query === '' ? path : `${path}?${query}`);
};

/** Returns the JSON of a response; throws `Problem`, or an `AbortError` if it was aborted. */
export const get = async (url, signal) => {
  let response;
  let body;
  try {
    response = await fetch(url, { signal, headers: { Accept: 'application/json' } });
    body = await response.json();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    if (!response || response.ok) throw unreachable();
  }
  if (!response.ok) throw problem(response.status, body);
  return body;
};

/** The time zone of words such as "today". */
let zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/**
 * Switches to the offset of the time zone if the server does not know its name.
 *
 * Returns whether to repeat the request.
 */
export const hasOtherZone = ({ errors }) => {
  const date = new Date();
  const minutes = Math.abs(date.getTimezoneOffset());
  const digits = (number) => String(Math.floor(number)).padStart(2, '0');
  const sign = date.getTimezoneOffset() > 0 ? '-' : '+';
  const offset = `${sign}${digits(minutes / 60)}:${digits(minutes % 60)}`;
  if (!errors?.includes('Tz is unknown') || zone === offset) return false;
  zone = offset;
  return true;
};

/** Whether the user's locale uses miles. */
const hasMiles = /^en-(US|GB|LR)\b/.test(navigator.language);
export const units = hasMiles ? 'mi' : 'km';

/** Returns the parameters of a search for the events of a state, cancelled ones included. */
export const filter = ({ at, when, words, category }, bounds) => ({
  lat: at?.lat,
  lon: at?.lon,
  bbox: [
    Math.floor(bounds.west * 1e5), Math.floor(bounds.south * 1e5),
    Math.ceil(bounds.east * 1e5), Math.ceil(bounds.north * 1e5),
  ].map((value) => value / 1e5).join(','),
  when: when === 'any' ? undefined : when,
  tz: when === 'any' || when === 'now' || when === 'upcoming' ? undefined : zone,
  q: words,
  category,
  status: 'any',
});

/** Returns the fields that the list shows, so that long texts are not loaded. */
export const listFields = (hasPoint) => [
  'id', 'name', 'address', 'lat', 'lon', 'started_at', 'ended_at', 'category', 'status', 'all_day',
  ...(hasPoint ? ['distance', 'bearing'] : []),
].join(',');

/** Returns the zoom level of the clusters in a view, so that it has at most 4,096 cells. */
export const clusterZoom = ({ zoom, width, height, scale }) => {
  let level = Math.max(0, Math.min(22, Math.round(zoom)));
  const cells = () => {
    const size = scale / 2 ** (level + 2);
    return (Math.ceil(width / size) + 1) * (Math.ceil(height / size) + 1);
  };
  while (level > 0 && cells() > 4000) level -= 1;
  return level;
};
