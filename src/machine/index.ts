/**
 * Detects when the machine that a call runs on is too busy, and describes how the load distorts the call's numbers.
 */
export {
  LIMITS,
  OVERLOADED_SHARE,
  QUANTITIES,
  WINDOW_SECONDS,
  type Limits,
  type Quantity,
} from './definition.js';
export { timeZeroMs } from './epoch.js';
export { consequence, loadText, machineReport, type MachineReport } from './report.js';
export { distortion, FIX, reasonText, worstText } from './text.js';
export { TickLateness } from './tick_lateness.js';
export { isOverloaded, MachineWatch, type MachineState, type Reason } from './watch.js';
