// The projection of web maps: the world is a square of 1 by 1, x to the east and y to the south.

const radians = Math.PI / 180;
/** The latitude of the upper and lower edge of the square. */
export const edge = 85.0511287798066;

const wrapped = (degrees) => ((degrees + 180) % 360 + 360) % 360 - 180;

/** Returns a place in the square; places beyond its edges are moved to the edge. */
export const fromPlace = ({ lat, lon }) => ({ x: lon / 360 + 0.5, y: yOf(lat, edge) });

/** Returns the y of a latitude, which is clamped to ±`limit` degrees. */
export const yOf = (lat, limit) => {
  const sine = Math.sin(Math.max(-limit, Math.min(limit, lat)) * radians);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
};

/** Returns the place of a point, with a longitude of -180 to 180 degrees. */
export const toPlace = ({ x, y }) => ({
  lat: Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / radians,
  lon: wrapped(x * 360 - 180),
});

/** Returns the great-circle distance between two places in metres, and the bearing in degrees. */
export const measure = (from, to) => {
  const [a, b] = [from.lat * radians, to.lat * radians];
  const turn = (to.lon - from.lon) * radians;
  const square = Math.sin((b - a) / 2) ** 2
    + Math.cos(a) * Math.cos(b) * Math.sin(turn / 2) ** 2;
  const course = Math.atan2(
    Math.sin(turn) * Math.cos(b),
    Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn),
  );
  return {
    metres: 2 * 6371000 * Math.asin(Math.min(1, Math.sqrt(square))),
    bearing: (course / radians + 360) % 360,
  };
};
