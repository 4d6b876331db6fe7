import { formatTime } from '../../charts/index.js';

/** A time of the trace in tenths of a second, for example `26.8 s`. */
export const momentText = (us: number): string => formatTime(Math.round(us / 1e5) / 10);
