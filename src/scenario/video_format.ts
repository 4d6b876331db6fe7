/** The video settings of a call, as written in URLs and on the command line: `720p`, frames per second, `vp9`. */

/** Width and height in pixels, by name. */
export const VIDEO_SIZES = {
  '360p': { width: 640, height: 360 },
  '720p': { width: 1280, height: 720 },
} as const;
export type VideoSize = keyof typeof VIDEO_SIZES;
export const VIDEO_SIZE_NAMES = Object.keys(VIDEO_SIZES) as [VideoSize, ...VideoSize[]];

/** Frames per second. */
export const FRAME_RATES = ['15', '30'] as const;

/**
 * Codecs whose frames may carry a trailer after their last byte. H.264 and AV1 frames may not: the packetizer
 * would search the trailer for start codes, or split it into OBUs.
 */
export const VIDEO_CODECS = ['vp8', 'vp9'] as const;
export type VideoCodec = (typeof VIDEO_CODECS)[number];
