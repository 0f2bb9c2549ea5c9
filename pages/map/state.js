// The state of the page, in the fragment of its URL. Browsers don't send fragments to servers, so a
// user's location stays in the browser.

export const windows = ['now', 'today', 'weekend', 'upcoming', 'any'];

const number = (text, low, high) => {
  const value = text?.trim() ? Number(text) : NaN;
  return value >= low && value <= high ? value : undefined;
};

const place = (lat, lon) => {
  const at = { lat: number(lat, -90, 90), lon: number(lon, -180, 180) };
  return at.lat === undefined || at.lon === undefined ? undefined : at;
};

/** Parses a place such as "40.4, -3.7". */
export const parsePlace = (text) => {
  const parts = (text ?? '').split(',');
  return parts.length === 2 ? place(...parts) : undefined;
};

/** Returns the words of a search as they are sent; undefined without any. */
export const parseWords = (text) => {
  // Not in UTF-16, which would cut characters in two.
  const words = [...(text ?? '')].slice(0, 60).join('');
  return words.trim() === '' ? undefined : words;
};

const parseCategory = (text) =>
  (text?.length <= 40 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) ? text : undefined);

/** Parses the state in a fragment; missing or invalid values get their defaults. */
export const parseState = (hash) => {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const [zoom, lat, lon] = (values.get('map') ?? '').split('/');
  const centre = place(lat, lon);
  const level = number(zoom, 0, 19);
  const event = number(values.get('event') ?? '', 1, Number.MAX_SAFE_INTEGER);
  return {
    map: centre && level !== undefined ? { ...centre, zoom: level } : undefined,
    at: parsePlace(values.get('at')),
    when: windows.includes(values.get('when')) ? values.get('when') : 'upcoming',
    sort: values.get('sort') === 'started_at' ? 'started_at' : 'distance',
    event: Number.isInteger(event) ? event : undefined,
    words: parseWords(values.get('q')),
    category: parseCategory(values.get('category')),
  };
};

/** Returns the fragment of a state, without default values. */
export const formatState = ({ map, at, when, sort, event, words, category }) => {
  const parts = [];
  if (map) {
    const digits = map.zoom > 13 ? 5 : map.zoom > 6 ? 4 : 2;
    const zoom = Math.round(map.zoom * 100) / 100;
    parts.push(`map=${zoom}/${map.lat.toFixed(digits)}/${map.lon.toFixed(digits)}`);
  }
  if (at) parts.push(`at=${at.lat},${at.lon}`);
  if (when !== 'upcoming') parts.push(`when=${when}`);
  if (at && sort !== 'distance') parts.push(`sort=${sort}`);
  if (words) parts.push(`q=${encodeURIComponent(words)}`);
  if (category) parts.push(`category=${category}`);
  if (event !== undefined) parts.push(`event=${event}`);
  return `#${parts.join('&')}`;
};
