/**
 * The messages between a media worker and its guest workers, which run users' controllers, over a dedicated
 * port.
 */
import type { HalfOptions } from '../../core/user_controller.js';
import type { Question, UsableAnswer } from '../../core/user_answers.js';

/** A user's module that takes longer to load is refused. */
export const START_WITHIN_MS = 5000;

/** The first message. It is posted to the worker itself, and contains the port for all other messages. */
export interface GuestSetup {
  /** A JavaScript module whose default export is a UserController, or a WebAssembly module. */
  url: string;
  /** The controller's name in messages. It is also the name of a WebAssembly controller. */
  name: string;
  half: 'receiver' | 'sender';
  options: HalfOptions;
  memoryLimitBytes: number;
  port: MessagePort;
}

/** The guest worker gives one answer to each question, in order. */
export type GuestQuestion = Question;

export type GuestMessage =
  | { kind: 'ready' }
  /** The module could not be loaded, or is not a controller. */
  | { kind: 'refused'; message: string }
  | { kind: 'answer'; answer: UsableAnswer }
  /** The half failed. The guest worker sends no more messages. */
  | { kind: 'fault'; message: string };
