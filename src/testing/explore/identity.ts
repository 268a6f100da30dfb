import type { Actor } from "../../explore/contract/trace.ts";
import type { ServerRequest } from "../../server/index.ts";
import { Sender, senderOf } from "../sender.ts";

/** An older state that a program reads when it does not request the latest one. */
export interface StaleState {
  /** The perturbation. */
  readonly index: number;
  readonly revision: number;
}

/** One start of a program, as the server sees it. */
export interface ProgramLife {
  readonly actor: Actor;
  readonly life: number;
  readonly stale?: StaleState | undefined;
  /** Whether the program has been killed or has ended: it gets no response any more. */
  readonly isOver: boolean;
}

/** A program of this process as the sender of requests. */
export class ProgramSender extends Sender implements ProgramLife {
  readonly actor: Actor;
  readonly life: number;
  readonly stale: StaleState | undefined;
  isOver = false;

  constructor(actor: Actor, life: number, crash: () => void, stale?: StaleState) {
    super("subject", crash);
    this.actor = actor;
    this.life = life;
    this.stale = stale;
  }
}

/** Says which program sent a request; undefined where none did. */
export type FindProgram = (request: ServerRequest) => ProgramLife | undefined;

/** Finds programs of this process. */
export const programOf: FindProgram = ({ incoming }) => {
  const sender = senderOf(incoming.sent.connection);
  return sender instanceof ProgramSender ? sender : undefined;
};

/** Whether a request comes from built-in controllers: their clients have an identity and no sender. */
export const isOfCluster = ({ incoming: { sent } }: ServerRequest): boolean =>
  senderOf(sent.connection) === undefined && sent.identity !== undefined;
