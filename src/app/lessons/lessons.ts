/** The lessons, in the order in which they build on each other. Each is fetched when it is opened. */
import type { Lesson } from './lesson.js';

interface Listed {
  id: string;
  title: string;
  load: () => Promise<{ default: Lesson }>;
}

export const LESSONS: readonly Listed[] = [
  {
    id: 'delay-before-loss',
    title: 'Why delay grows before packets are lost',
    load: () => import('./content/delay_before_loss.js'),
  },
  {
    id: 'delay-variation',
    title: 'One-way delay variation',
    load: () => import('./content/delay_variation.js'),
  },
  {
    id: 'kalman-filter',
    title: 'The Kalman filter, step by step',
    load: () => import('./content/kalman_filter.js'),
  },
  {
    id: 'm-t-and-gamma',
    title: 'm, T and γ: what is compared with what',
    load: () => import('./content/m_t_and_gamma.js'),
  },
  {
    id: 'adaptive-threshold',
    title: 'Static versus adaptive threshold',
    load: () => import('./content/adaptive_threshold.js'),
  },
  {
    id: 'rate-controller',
    title: 'The states of the rate controller',
    load: () => import('./content/rate_controller.js'),
  },
  {
    id: 'loss-based-control',
    title: 'Loss-based control',
    load: () => import('./content/loss_based_control.js'),
  },
  {
    id: 'fairness',
    title: 'Fairness and latecomers',
    load: () => import('./content/fairness.js'),
  },
  {
    id: 'aqm',
    title: 'Queue management versus end-to-end control',
    load: () => import('./content/aqm.js'),
  },
  {
    id: 'packet-grouping',
    title: 'Packet grouping on Wi-Fi',
    load: () => import('./content/packet_grouping.js'),
  },
  {
    id: 'nada-equilibrium',
    title: 'NADA’s equilibrium',
    load: () => import('./content/nada_equilibrium.js'),
  },
  { id: 'lcc-density', title: 'LCC’s density', load: () => import('./content/lcc_density.js') },
];

/** In place of a lesson's id, this value names the page for teachers. */
export const TEACHERS = 'teachers';
