/** The order in which a controller's parameters are shown. */
import { CONTROLLER_SPECS, type ControllerName, type ParameterSpec } from '../core/schema.js';

/**
 * The start bitrate and the bitrate limits. Every controller has these parameters, and the page has separate fields
 * for them.
 */
export const BITRATE_PARAMETERS: readonly string[] = [
  'min_bitrate_bps',
  'max_bitrate_bps',
  'start_bitrate_bps',
];

/** The parameters that are shown first, in this order. */
const FIRST: Readonly<Record<ControllerName, readonly string[]>> = {
  gcc: [
    'k_u',
    'k_d',
    'alpha',
    'eta',
    'gamma_init_ms',
    'overuse_time_ms',
    'detector_gain_groups',
    'received_rate_window_ms',
  ],
  nada: ['xref_ms', 'kappa', 'eta', 'tau_ms', 'gamma_max', 'prio', 'warping', 'qth_ms'],
  lcc: ['delay_target_ms', 'delta', 'cut_threshold', 'cut_factor', 'window_pairs', 'epoch_ms', 'exploration'],
};

export interface OrderedParameters {
  first: readonly ParameterSpec[];
  others: readonly ParameterSpec[];
}

export function orderedParameters(controller: ControllerName): OrderedParameters {
  const all = CONTROLLER_SPECS[controller].parameters.filter(
    ({ name }) => !BITRATE_PARAMETERS.includes(name),
  );
  const first = FIRST[controller].flatMap((name) => all.find((parameter) => parameter.name === name) ?? []);
  return { first, others: all.filter((parameter) => !first.includes(parameter)) };
}
