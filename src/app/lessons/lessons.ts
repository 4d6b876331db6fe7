/** The lessons, in the order in which they build on each other. Each is fetched when it is opened. */
import type { Lesson } from './lesson.js';

interface Listed {
  id: string;
  title: string;
  /** The question that the lesson answers. */
  question: string;
  load: () => Promise<{ default: Lesson }>;
}

export const LESSONS: readonly Listed[] = [
  {
    id: 'delay-before-loss',
    title: 'Why delay grows before packets are lost',
    question: 'A sender raises its rate until the link is full. How can the receiver tell?',
    load: () => import('./content/delay_before_loss.js'),
  },
  {
    id: 'delay-variation',
    title: 'One-way delay variation',
    question: 'The clocks of two computers disagree. How can one still measure a delay of milliseconds?',
    load: () => import('./content/delay_variation.js'),
  },
  {
    id: 'kalman-filter',
    title: 'The Kalman filter, step by step',
    question: 'How quickly should an estimate follow its measurements?',
    load: () => import('./content/kalman_filter.js'),
  },
  {
    id: 'm-t-and-gamma',
    title: 'm, T and γ: what is compared with what',
    question: 'The paper compares m with γ, but the deployed code does not. What difference does that make?',
    load: () => import('./content/m_t_and_gamma.js'),
  },
  {
    id: 'adaptive-threshold',
    title: 'Why TCP starves a call: static versus adaptive threshold',
    question:
      'A TCP download joins a call. Why does the call give way, and what did Google Congestion Control (GCC) change to prevent it?',
    load: () => import('./content/adaptive_threshold.js'),
  },
  {
    id: 'rate-controller',
    title: 'The states of the rate controller',
    question: 'The detector signals overuse. How far should the rate fall, and what should happen next?',
    load: () => import('./content/rate_controller.js'),
  },
  {
    id: 'loss-based-control',
    title: 'Loss-based control',
    question: 'A radio link loses packets at random, without any full queue. What should the sender do?',
    load: () => import('./content/loss_based_control.js'),
  },
  {
    id: 'fairness',
    title: 'Fairness and latecomers',
    question: 'Three calls share a link, and each starts 30 s after the one before. Who gets how much?',
    load: () => import('./content/fairness.js'),
  },
  {
    id: 'aqm',
    title: 'Queue management versus end-to-end control',
    question: 'Can the router keep the delay short, so that the endpoints do not have to?',
    load: () => import('./content/aqm.js'),
  },
  {
    id: 'packet-grouping',
    title: 'Packet grouping on Wi-Fi',
    question:
      'A radio pauses for tens of milliseconds, then delivers everything at once. Is that congestion?',
    load: () => import('./content/packet_grouping.js'),
  },
  {
    id: 'nada-equilibrium',
    title: 'NADA’s equilibrium',
    question: 'NADA keeps a queue on purpose. How long is it?',
    load: () => import('./content/nada_equilibrium.js'),
  },
  {
    id: 'lcc-density',
    title: 'LCC’s density',
    question: 'Can a sender learn from the last few seconds which rate causes which delay?',
    load: () => import('./content/lcc_density.js'),
  },
];

/** In place of a lesson's id, this value names the page for teachers. */
export const TEACHERS = 'teachers';
