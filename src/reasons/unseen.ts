/**
 * Explains the target of a controller whose internal state is unknown: a user's own controller, or a controller
 * of which only the rates were recorded.
 */
import { UNKNOWN, type Reason } from './change.js';
import { settingReason, type Explainer, type Flow } from './explainer.js';
import type { Segment } from './segments.js';

const LABELS = { fall: 'unknown', rise: 'increase', decline: 'decrease', flat: 'hold' } as const;
const SCATTER = 0.02;

export class UnseenExplainer implements Explainer {
  constructor(private readonly flow: Flow) {}

  isExact = (): boolean => false;
  scatter = (): number => SCATTER;
  isDecision = (): boolean => false;

  explain(segment: Segment): Reason {
    return settingReason(this.flow, segment) ?? { ...UNKNOWN, label: LABELS[segment.shape] };
  }
}
