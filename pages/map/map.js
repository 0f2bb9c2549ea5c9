// The map of events: keeps the state, the URL and the page in sync.

import { filter, get, listFields, target, units } from './api.js';
import { card, element, unhideMore } from './elements.js';
import { Ground } from './ground.js';
import { Live } from './live.js';
import { Markers } from './markers.js';
import { fromPlace, toPlace } from './mercator.js';
import { Results } from './results.js';
import { formatState, parsePlace, parseState, parseWords } from './state.js';
import { View } from './view.js';
import * as words from './words.js';
import { parseWorld } from './world.js';

const field = (id) => document.getElementById(id);
const setting = (name) => document.querySelector(`meta[name="${name}"]`)?.content;
/** The hosts whose images cards show. */
const imageHosts = setting('map-images')?.split(' ') ?? [];
const overview = { lat: 40, lon: 12, zoom: 0 };
const narrow = matchMedia('(max-width: 47.99rem)');

let state = parseState(location.hash);
let shownEvent;
let opener;
let world = { cities: [], countries: [] };

const view = new View(field('area'), field('canvas'), field('canvas'));
const ground = new Ground(field('canvas'), {
  tiles: setting('map-tiles'), didChange: () => paint(),
});
const markers = new Markers(field('layer'), view, {
  open: (event, marker) => open(event, marker),
  enter: (group) => enter(group),
  didChange: () => paint(),
});
ground.obstacles = () => markers.boxes;
const live = new Live({
  load: (entered) => results.load(state, entered),
  take: (change) => take(change),
});
const results = new Results(view, markers, live, (event, button) => open(event, button));

// Painting.

let frame;
const paint = () => {
  frame ??= requestAnimationFrame(() => {
    frame = undefined;
    ground.paint(view);
    placeCard();
    drawScale();
  });
};

/** Shows a scale bar of at most 120 px. */
const drawScale = () => {
  const { lat } = view.centre;
  const metres = 40030174 * Math.cos(lat * Math.PI / 180) / view.scale;
  const unit = units === 'mi' ? 1609.344 : 1000;
  const power = 10 ** Math.floor(Math.log10(metres * 120 / unit));
  const value = [5, 2, 1].map((factor) => factor * power)
    .find((length) => length * unit <= metres * 120) ?? power;
  field('scale').style.width = `${value * unit / metres}px`;
  const isShort = value < 1 && units === 'km';
  field('scale').textContent = isShort ? `${value * 1000} m` : `${value} ${units}`;
};

// Loading.

let waiting;
let waitsSince;
/** Loads the visible events after a short delay; less often while the map moves. */
const load = (delay = 180) => {
  const now = performance.now();
  waitsSince ??= now;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    waitsSince = undefined;
    results.load(state);
  }, Math.max(0, Math.min(delay, waitsSince + 600 - now)));
};

// The URL.

let writing;
/** Writes the state into the URL; adds an entry to the history if `isStep` is true. */
const remember = (isStep) => {
  clearTimeout(writing);
  const { lat, lon } = view.centre;
  state.map = { lat, lon, zoom: view.zoom };
  const hash = formatState(state);
  if (hash === location.hash) return;
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
};

/** Writes the state when the map stops moving. */
const rememberSoon = () => {
  clearTimeout(writing);
  writing = setTimeout(() => remember(false), 300);
};

/** Applies the state in the URL. */
const restore = () => {
  state = parseState(location.hash);
  view.show(state.map ?? overview);
  markers.point = state.at;
  clearTimeout(typing);
  field('words').value = state.words ?? '';
  update();
  if (state.event === undefined) closeCard();
  else if (state.event !== shownEvent?.id) openById(state.event);
  load(0);
};

/** Updates the buttons from the state. */
const update = () => {
  for (const button of field('when').children) {
    button.setAttribute('aria-pressed', String(button.dataset.when === state.when));
  }
  for (const button of field('categories').children) {
    button.setAttribute('aria-pressed', String(button.dataset.category === state.category));
  }
  const isNearest = state.sort === 'distance';
  const byTime = state.when === 'any' ? 'Latest' : 'Soonest';
  const [now, other] = isNearest ? ['Nearest', byTime] : [byTime, 'Nearest'];
  field('sort').hidden = !state.at;
  field('sort').lastElementChild.textContent = `${now} first`;
  field('sort').title = `Show the ${other.toLowerCase()} first`;
  field('hint').hidden = state.at !== undefined;
};

const change = (values) => {
  remember(false);
  Object.assign(state, values);
  update();
  remember(true);
  load(0);
};

// The words and the category to search for.

let typing;
/** Searches for the words in the field, a moment after the last key. */
const searchSoon = (delay) => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const words = parseWords(field('words').value);
    if (words === state.words) return;
    // Going back leaves the search, not each of its letters.
    if (words === undefined || state.words === undefined) change({ words });
    else {
      state.words = words;
      remember(false);
      load(0);
    }
  }, delay);
};

/** Moves the focus to the search when the user types a slash elsewhere. */
const focusSearch = (event) => {
  const isTyping = event.target.closest?.('input, textarea');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  if (field('search').hidden) return;
  event.preventDefault();
  field('words').focus();
  field('words').select();
};

// The point to measure from.

const setPoint = ({ lat, lon }) => {
  const at = { lat: Number(lat.toFixed(5)), lon: Number(lon.toFixed(5)) };
  markers.point = at;
  change({ at, sort: 'distance' });
  if (shownEvent) showCard(shownEvent, false);
};

const say = (text) => {
  field('status').textContent = text;
};

const refusals = {
  1: 'Your browser did not share your location. Click the map or type a city instead.',
  2: 'Your device could not find its location. Click the map or type a city instead.',
  3: 'Finding your location took too long. Try again, or click the map.',
};

const locate = () => {
  if (!isSecureContext || !navigator.geolocation) {
    say('Browsers share your location only with https pages. Click the map or type a city.');
    return;
  }
  field('locate').setAttribute('aria-busy', 'true');
  const finish = () => field('locate').removeAttribute('aria-busy');
  navigator.geolocation.getCurrentPosition(({ coords }) => {
    finish();
    const place = { lat: coords.latitude, lon: coords.longitude };
    setPoint(place);
    view.fly({ ...place, zoom: Math.max(view.zoom, 11) });
  }, (error) => {
    finish();
    say(refusals[error.code] ?? refusals[2]);
  }, { timeout: 15000, maximumAge: 300000 });
};

const folded = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

const goTo = (text) => {
  const wanted = folded(text);
  if (wanted === '') return;
  const among = (list, test) => list.find((label) => test(folded(label.name)));
  const city = among(world.cities, (name) => name === wanted);
  const country = among(world.countries, (name) => name === wanted);
  const begun = among([...world.cities, ...world.countries], (name) => name.startsWith(wanted));
  const place = parsePlace(text) ?? city ?? country ?? begun;
  if (!place) {
    say(`“${text}” was not found. Try a larger city nearby, or move the map.`);
    return;
  }
  remember(false);
  const isCountry = place === country || world.countries.includes(place);
  if (!isCountry) setPoint(place);
  view.fly({ ...place, zoom: isCountry ? 5 : 11 });
  field('where').value = place.name ?? '';
};

const findNearest = async () => {
  const from = state.at ?? view.centre;
  try {
    const { lat, lon } = from;
    const { bbox, ...query } = filter(state, view.bounds);
    const { events } = await get(target('/v1/events', {
      ...query, fields: listFields(true), lat: lat.toFixed(5), lon: lon.toFixed(5), sort: 'distance', limit: 1,
    }));
    if (events.length === 0) {
      say('No events found anywhere. Choose another time.');
      return;
    }
    remember(false);
    view.fly({ ...events[0], zoom: 12 });
    open(events[0], field('results'));
  } catch (error) {
    say(error.message);
  }
};

// The card of an event.

const placeCard = () => {
  const shown = document.querySelector('.card');
  if (!shown || narrow.matches) return;
  const { x, y } = view.project(fromPlace(shownEvent));
  shown.style.transform =
    `translate(${Math.round(x)}px, ${Math.round(y)}px) translate(-50%, -100%)`;
};

/** Moves the map until a card is completely visible. */
const makeRoom = (shown) => {
  const { x, y } = view.project(fromPlace(shownEvent));
  const isDocked = narrow.matches;
  const half = isDocked ? 24 : shown.offsetWidth / 2 + 12;
  const above = isDocked ? 56 : shown.offsetHeight + 68;
  const below = isDocked ? shown.offsetHeight + 24 : 32;
  const shift = (at, low, high) => (at < low ? low - at : at > high ? high - at : 0);
  const dx = shift(x, half, Math.max(half, view.width - half));
  const dy = shift(y, above, Math.max(above, view.height - below));
  if (dx !== 0 || dy !== 0) view.glide(dx, dy);
};

const showCard = (event, takesFocus) => {
  document.querySelector('.card')?.remove();
  shownEvent = event;
  const shown = card(event, state.at, imageHosts, () => dismiss());
  field('area').append(shown);
  unhideMore(shown);
  markers.ring = event;
  for (const row of document.querySelectorAll('.row')) {
    row.classList.toggle('current', row.dataset.id === String(event.id));
  }
  placeCard();
  if (takesFocus) shown.querySelector('h2').focus({ preventScroll: true });
  return shown;
};

const open = (event, element) => {
  opener = element;
  app.classList.remove('tall');
  field('handle').setAttribute('aria-expanded', 'false');
  const { x, y } = view.project(fromPlace(event));
  const isFar = x < 0 || y < 0 || x > view.width || y > view.height;
  const shown = showCard(event, true);
  if (isFar) view.fly(event);
  else makeRoom(shown);
  complete(event.id, isFar);
  if (state.event !== event.id) {
    remember(false);
    state.event = event.id;
    remember(true);
  }
};

/** Shows another state of the event on its card, and returns the new card. */
const renewCard = (event) => {
  const before = document.querySelector('.card');
  const selector = ['h2', '.close', '.calendar', '.website', '.description + button']
    .find((name) => before.querySelector(name)?.contains(document.activeElement));
  const isWhole = before.querySelector('.description.whole') !== null;
  const { scrollTop } = before;
  const shown = showCard(event, false);
  if (isWhole) shown.querySelector('.description + button')?.click();
  shown.scrollTop = scrollTop;
  if (selector) (shown.querySelector(selector) ?? shown.querySelector('h2')).focus({ preventScroll: true });
  return shown;
};

/** Shows a change of the event on its card. */
const take = ({ op, id, event }) => {
  if (shownEvent?.id !== id) return;
  if (op !== 'leave') renewCard(event);
  else if (!document.querySelector('.card .gone')) {
    document.querySelector('.card .facts')
      .prepend(element('p', { className: 'badge off gone' }, words.gone));
  }
};

/** Adds the attributes to the card that the list lacks. */
const complete = async (id, isFar) => {
  try {
    const event = await get(target(`/v1/events/${id}`));
    if (shownEvent?.id !== id) return;
    const shown = renewCard(event);
    if (!isFar) makeRoom(shown);
  } catch (error) {
    if (shownEvent?.id === id) say(error.message);
  }
};

/** Opens the card of an event; a link with the event alone also moves the map there. */
const openById = async (id) => {
  // The position of the map is written into the URL soon, perhaps before the response.
  const isElsewhere = !state.map;
  try {
    const event = await get(target(`/v1/events/${id}`));
    if (state.event !== id) return;
    if (isElsewhere) view.show({ ...event, zoom: 13 });
    makeRoom(showCard(event, false));
  } catch (error) {
    if (state.event === id) say(error.message);
  }
};

const closeCard = () => {
  document.querySelector('.card')?.remove();
  document.querySelector('.row.current')?.classList.remove('current');
  markers.ring = undefined;
  shownEvent = undefined;
};

const dismiss = () => {
  if (!shownEvent) return;
  // The list may have been reloaded since the card was opened.
  const row = document.querySelector(`.row[data-id="${shownEvent.id}"] .name`);
  closeCard();
  state.event = undefined;
  remember(true);
  (opener?.isConnected ? opener : row ?? field('canvas')).focus({ preventScroll: true });
};

/** Zooms into a cluster; at the highest zoom level, lists the events around it instead. */
const enter = ({ at }) => {
  const place = toPlace(at);
  if (view.zoom < 18.5) {
    remember(false);
    view.fly({ ...place, zoom: Math.min(19, Math.floor(view.zoom) + 2) });
  } else {
    setPoint(place);
    field('results').focus();
  }
};

const share = async () => {
  remember(false);
  try {
    await navigator.clipboard.writeText(location.href);
    say('Link copied.');
  } catch {
    say('The link could not be copied. It is in the address bar.');
  }
};

// The page.

const app = field('app');

const connect = () => {
  view.addEventListener('move', () => {
    paint();
    load();
    rememberSoon();
  });
  view.addEventListener('pick', ({ detail }) => (shownEvent ? dismiss() : setPoint(detail)));
  field('in').addEventListener('click', () => view.zoomBy(1));
  field('out').addEventListener('click', () => view.zoomBy(-1));
  field('when').addEventListener('click', ({ target: { dataset } }) => {
    if (dataset.when && dataset.when !== state.when) change({ when: dataset.when });
  });
  field('sort').addEventListener('click', () =>
    change({ sort: state.sort === 'distance' ? 'started_at' : 'distance' }));
  field('categories').addEventListener('click', ({ target: { dataset } }) => {
    const { category } = dataset;
    if (category) change({ category: category === state.category ? undefined : category });
  });
  field('search').hidden = setting('map-search') === 'off';
  field('search').addEventListener('submit', (event) => {
    event.preventDefault();
    searchSoon(0);
  });
  field('words').addEventListener('input', () => searchSoon(180));
  field('place').addEventListener('submit', (event) => {
    event.preventDefault();
    goTo(field('where').value);
  });
  field('locate').addEventListener('click', locate);
  field('nearest').addEventListener('click', findNearest);
  field('retry').addEventListener('click', () => load(0));
  field('share').addEventListener('click', share);
  field('handle').addEventListener('click', () => {
    const isTall = app.classList.toggle('tall');
    field('handle').setAttribute('aria-expanded', String(isTall));
  });
  field('list').addEventListener('pointerover', ({ target: over }) => {
    const id = Number(over.closest('.row')?.dataset.id);
    if (!shownEvent) markers.ring = results.events.get(id);
  });
  field('list').addEventListener('pointerleave', () => {
    if (!shownEvent) markers.ring = undefined;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') dismiss();
    focusSearch(event);
  });
  window.addEventListener('popstate', restore);
  window.addEventListener('online', () => {
    // A stream of the old network may be silent for ever.
    live.stop();
    load(0);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    ground.readColours();
    paint();
  });
};

const loadGround = async () => {
  const response = await fetch(target('/map/world.txt'));
  if (!response.ok) return;
  world = parseWorld(await response.text());
  ground.world = world;
  const names = [...world.cities, ...world.countries].map(({ name }) => name).sort();
  field('places').append(...names.map((name) => new Option(name)));
  paint();
};

connect();
restore();
const credit = setting('map-credit');
if (setting('map-tiles')) field('credit').textContent = credit ?? '';
loadGround().catch(() => { /* The events are shown on water, and the next load tries again. */ });
