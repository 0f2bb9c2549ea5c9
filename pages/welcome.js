
// Shows the server's events on the map of the world. Without events, the map stays a drawing.

const formatExample = (code) => code.replaceChildren(formatJSON(code.textContent) ?? code.textContent);

/** Returns a dot whose area grows with the logarithm of the number of events. */
const dot = ({ lat, lon, count }) => {
  const circle = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  const place = {
    // The drawing has a dot every 2 degrees, starts at 78 degrees north, and is stretched.
    cx: (lon + 180) / 2 - 0.5,
    cy: ((78 - lat) * 1.22) / 2 - 0.5,
    r: 0.9 * Math.sqrt(1 + Math.log10(count)),
    class: 'event',
  };
  for (const [name, value] of Object.entries(place)) circle.setAttribute(name, value);
  return circle;
};

const showEvents = async (world) => {
  const response = await fetch(`${server}/v1/events/clusters?bbox=-180,-90,180,90&zoom=3`);
  const { clusters } = await response.json();
  // After an error, or on a server without this endpoint, the map stays empty.
  if (!Array.isArray(clusters)) return;
  const total = clusters.reduce((sum, cluster) => sum + cluster.count, 0);
  const caption = document.getElementById('count');
  if (total === 0) {
    caption.textContent = 'No events yet. The commands below create the first one.';
    return;
  }
  const number = element('strong', total.toLocaleString('en'));
  caption.append(number, total === 1 ? ' event on this server' : ' events on this server');
  const drawing = world.querySelector('svg');
  drawing.append(...clusters.filter(({ lat }) => lat > -56 && lat < 79).map(dot));
  drawing.setAttribute('aria-label', `Map of the world with ${number.textContent} events`);
};

for (const code of document.querySelectorAll('.answer code')) formatExample(code);
const world = document.getElementById('world');
if (world) showEvents(world).catch(() => {});
