// Images from the tile server in the setting MAP_TILES.

/** The maximum number of tiles to keep. */
const most = 256;
const deepest = 19;

export class Tiles {
  #template;
  #didChange;
  /** The images by URL, least recently painted first. */
  #images = new Map();

  /** Creates tiles from a URL with `{z}`, `{x}` and `{y}`. */
  constructor(template, didChange) {
    this.#template = template;
    this.#didChange = didChange;
  }

  /** Paints the tiles of one copy of the world; its left edge is at `left` px. */
  paint(context, { width, height, scale, origin, zoom, ratio }, left) {
    const level = Math.max(0, Math.min(deepest, Math.round(zoom + (ratio > 1.5 ? 0.5 : 0))));
    const count = 2 ** level;
    const size = scale / count;
    const top = -origin.y * scale;
    const range = (start, length) => [
      Math.max(0, Math.floor(-start / size)),
      Math.min(count - 1, Math.floor((length - start) / size)),
    ];
    const [firstX, lastX] = range(left, width);
    const [firstY, lastY] = range(top, height);
    for (let y = firstY; y <= lastY; y += 1) {
      for (let x = firstX; x <= lastX; x += 1) {
        const image = this.#image(level, x, y);
        if (!image.complete || image.naturalWidth === 0) continue;
        context.drawImage(image, left + x * size, top + y * size, size + 0.5, size + 0.5);
      }
    }
  }

  #image(z, x, y) {
    const url = this.#template.replace('{z}', z).replace('{x}', x).replace('{y}', y);
    let image = this.#images.get(url);
    if (image) {
      this.#images.delete(url);
    } else {
      image = new Image();
      // Public tile servers reject requests without a Referer.
      image.referrerPolicy = 'strict-origin';
      image.addEventListener('load', this.#didChange);
      image.src = url;
    }
    this.#images.set(url, image);
    if (this.#images.size > most) this.#images.delete(this.#images.keys().next().value);
    return image;
  }
}
