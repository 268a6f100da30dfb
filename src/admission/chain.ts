/**
 * The chain of admission: which steps run for a request, and in which order.
 *
 *     mutate -> (mutate once more) -> validate -> commit -> [the write is stored] or rollback -> end
 *
 * The steps that concern a resource are found once, not for each request. A request waits only where a step does.
 *
 * @module
 */
import type { ObjectRef } from "../meta/status.ts";
import { whileHeld } from "../util/keyed-lock.ts";
import { inOrder } from "../util/when-done.ts";
import type { Admission, AdmissionRequest, AdmissionStep } from "./contract.ts";

type Member = "mutate" | "validate" | "commit" | "rollback" | "end";

/** A step that has a member. */
type StepWith<M extends Member> = AdmissionStep & Required<Pick<AdmissionStep, M>>;

/** The steps that concern one resource, in their order, by what they do. */
type StepsOf = { readonly [M in Member]: readonly StepWith<M>[] };

/** The chain of admission steps of a server. */
export class Chain {
  readonly #steps: Admission;
  /** Cached as long as the kind is served. */
  readonly #ofWrites = new WeakMap<ObjectRef, StepsOf>();
  readonly #ofConnections = new WeakMap<ObjectRef, StepsOf>();

  constructor(steps: Admission) {
    this.#steps = steps;
  }

  /**
   * Lets steps change the object of a request; rejects with the refusal of the first that refuses. Where one of them requests it, all of
   * them run once more, so that the steps before it see its changes.
   */
  mutate(request: AdmissionRequest): Promise<void> | undefined {
    const { mutate } = this.#stepsOf(request);
    const { trace } = request;
    trace?.begin(request, this.#unconcerned(request));
    const run = (): Promise<void> | undefined =>
      inOrder(mutate, (step) => {
        const work = (): Promise<void> | undefined => held(request, step.mutate(request));
        return trace ? trace.step(step.name, "mutate", request, work) : spanned(request, step, "mutate", work);
      });
    const again = (): Promise<void> | undefined => (request.isReinvocation ? run() : undefined);
    const pending = run();
    return pending ? pending.then(again) : again();
  }

  /** Lets steps refuse a request. */
  validate(request: AdmissionRequest): Promise<void> | undefined {
    const { trace } = request;
    return inOrder(this.#stepsOf(request).validate, (step) => {
      const work = (): Promise<void> | undefined => held(request, step.validate(request));
      return trace ? trace.step(step.name, "validate", request, work) : spanned(request, step, "validate", work);
    });
  }

  /** The actions of steps once a request is valid and when its write is not stored; undefined where no step has any. */
  commitment(request: AdmissionRequest): Commitment | undefined {
    const steps = this.#stepsOf(request);
    return steps.commit.length + steps.rollback.length === 0 ? undefined : new Commitment(steps, request);
  }

  /** The steps that do not concern a request, by their names. */
  #unconcerned({ ref, operation }: AdmissionRequest): readonly string[] {
    const concerned = new Set(this.#concerned(ref, operation === "CONNECT"));
    return this.#steps.filter((step) => !concerned.has(step)).map(({ name }) => name);
  }

  #stepsOf({ ref, operation }: AdmissionRequest): StepsOf {
    const connects = operation === "CONNECT";
    const found = connects ? this.#ofConnections : this.#ofWrites;
    let steps = found.get(ref);
    if (!steps) found.set(ref, (steps = this.#find(ref, connects)));
    return steps;
  }

  #concerned({ group, plural }: ObjectRef, connects: boolean): readonly AdmissionStep[] {
    return this.#steps
      .filter((step) => !connects || step.connects)
      .filter(({ resources }) => !resources || resources.some((one) => one.group === group && one.plural === plural));
  }

  #find(ref: ObjectRef, connects: boolean): StepsOf {
    const concerned = this.#concerned(ref, connects);
    const having = <M extends Member>(member: M): StepWith<M>[] =>
      concerned.filter((step): step is StepWith<M> => step[member] !== undefined);
    return {
      mutate: having("mutate"),
      validate: having("validate"),
      commit: having("commit"),
      rollback: having("rollback").toReversed(),
      end: having("end"),
    };
  }
}

/** The commits of the steps for one valid request, and their rollback where its write is not stored. */
export class Commitment {
  readonly #steps: Omit<StepsOf, "mutate" | "validate">;
  readonly #request: AdmissionRequest;

  constructor(steps: Omit<StepsOf, "mutate" | "validate">, request: AdmissionRequest) {
    this.#steps = steps;
    this.#request = request;
  }

  /** Runs the commit of each step, in order; rejects with the refusal of the first that refuses. */
  confirm(): Promise<void> | undefined {
    return inOrder(this.#steps.commit, (step) => step.commit(this.#request));
  }

  /** Runs the rollback of each step, the last one first, even where the write has lost its lock. */
  release(): Promise<void> | undefined {
    return inOrder(this.#steps.rollback, (step) => step.rollback(this.#request));
  }

  /** Notifies each step that the attempt to store the write has ended. */
  end(): void {
    for (const step of this.#steps.end) step.end(this.#request);
  }
}

/** Waits for a step as long as the lock of the write is held, at most. */
const held = ({ hold }: AdmissionRequest, pending: void | Promise<void>): Promise<void> | undefined =>
  pending ? whileHeld(hold, pending) : undefined;

/** Runs a step, with a span where its request is traced and the step waits or refuses; the spans of its calls are children of that. */
function spanned(
  request: AdmissionRequest,
  { name }: AdmissionStep,
  phase: "mutate" | "validate",
  work: () => Promise<void> | undefined,
): Promise<void> | undefined {
  const { span } = request;
  if (!span?.isRecorded) return work();
  const part = span.start(`admission ${name}`, { phase });
  request.span = part;
  const ended = (): void => {
    request.span = span;
    part.end();
  };
  const failed = (error: unknown): never => {
    part.error(error);
    ended();
    throw error;
  };
  try {
    const wait = work();
    if (wait) return wait.then(ended, failed);
  } catch (error) {
    return failed(error);
  }
  request.span = span;
  part.leaveOut();
  return undefined;
}
