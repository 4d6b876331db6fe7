/**
 * Draws the synthetic camera's frames: bands of noise, a ball and slowly changing colours. Half of the bands
 * drift, so that motion search can follow them. The other half are new in every frame, so that they always
 * cost bits. The contrasts of the bands differ by a factor of up to 16. At a falling rate, an encoder
 * therefore drops the bands one by one, as it drops the details of a filmed scene. With equal contrasts, it
 * would drop all bands in one frame and later restore all of them in one oversized frame. Everything is
 * copied from prepared tiles, so a frame costs little CPU time.
 */
export interface CameraSettings {
  width: number;
  height: number;
  fps: number;
  /** How hard the picture is to encode, from 0 (flat) to 1 (coarse). */
  texture: number;
  seed: number;
}

const TILES = 12;
const BLOCK = 16;
const MAX_AMPLITUDE = 128;
const CONTRAST_OCTAVES = 4;
/** Pixels by which a drifting band moves from one frame to the next. */
const DRIFT = 3;

/** mulberry32, a small public-domain generator: the same seed gives the same frames. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class FramePainter {
  readonly #random: () => number;
  readonly #strips: Uint8Array[];
  readonly #stripWidth: number;
  readonly #y: Uint8Array;
  /** One frame in I420: the Y plane, then U and V at half the size. */
  readonly data: Uint8Array;

  constructor(private readonly settings: CameraSettings) {
    const { width, height, seed } = settings;
    this.#random = random(seed);
    this.data = new Uint8Array(width * height + 2 * (width >> 1) * (height >> 1));
    this.#y = this.data.subarray(0, width * height);
    this.#stripWidth = width * 3;
    this.#strips = Array.from({ length: TILES }, (_, tile) => this.#strip(tile));
  }

  /**
   * A strip of noise, one block high. It is three times as wide as the picture, so that a band can start at
   * many places in it.
   */
  #strip(tile: number): Uint8Array {
    const amplitude = this.settings.texture * MAX_AMPLITUDE * 2 ** (-CONTRAST_OCTAVES * this.#random());
    const middle = 64 + (tile * 128) / TILES;
    return Uint8Array.from(
      { length: this.#stripWidth * BLOCK },
      () => middle + amplitude * (this.#random() + this.#random() - 1),
    );
  }

  /** Paints frame number `n` into `data`. */
  paint(n: number): void {
    const { width, height } = this.settings;
    const bands = Math.ceil(height / BLOCK);
    for (let band = 0; band < bands; band++) {
      const strip = this.#strips[band % TILES] ?? this.data;
      const room = this.#stripWidth - width;
      const start = band % 2 === 0 ? Math.floor(this.#random() * room) : (n * DRIFT + band * 97) % room;
      for (let row = 0; row < BLOCK && band * BLOCK + row < height; row++) {
        const from = row * this.#stripWidth + start;
        this.#y.set(strip.subarray(from, from + width), (band * BLOCK + row) * width);
      }
    }
    this.#ball(n);
    this.#chroma(n);
  }

  #ball(n: number): void {
    const { width, height } = this.settings;
    const radius = Math.round(height / 8);
    const cx = Math.round(width / 2 + (width / 2 - radius) * Math.sin(n / 37));
    const cy = Math.round(height / 2 + (height / 2 - radius) * Math.sin(n / 23));
    for (let dy = -radius; dy < radius; dy++) {
      const half = Math.floor(Math.sqrt(radius * radius - dy * dy));
      const at = Math.min(height - 1, Math.max(0, cy + dy)) * width;
      this.#y.fill(235, at + Math.max(0, cx - half), at + Math.min(width, cx + half));
    }
  }

  #chroma(n: number): void {
    const size = (this.settings.width >> 1) * (this.settings.height >> 1);
    const u = this.settings.width * this.settings.height;
    this.data.fill(128 + 40 * Math.sin(n / 90), u, u + size);
    this.data.fill(128 + 40 * Math.cos(n / 110), u + size);
  }

  /** The picture's brightness as RGBA, for canvases. */
  rgba(into: Uint8ClampedArray): void {
    const words = new Uint32Array(into.buffer, into.byteOffset, this.#y.length);
    for (let i = 0; i < words.length; i++) words[i] = 0xff000000 | ((this.#y[i] ?? 0) * 0x010101);
  }
}
