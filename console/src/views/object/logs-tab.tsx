import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { send } from "../../api/http.ts";
import { type KubeObject, objectPath } from "../../api/kube.ts";
import type { Status } from "../../../../src/meta/status.ts";
import { Button, ErrorBox } from "../../ui/basics.tsx";
import { visible } from "../../ui/visible.ts";
import { statusOf } from "../../editor/client.ts";
import { LogBuffer } from "./log-buffer.ts";
import type { ObjectKey } from "./model.ts";

/** A Pod, as far as its logs need it. */
interface PodLike extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string }[];
  };
}

const TAIL_LINES = 1000;
const DRAW_MS = 120;

/** The logs of a container of a Pod, as they grow. */
export function LogsTab({
  of,
  object,
}: {
  readonly of: ObjectKey;
  readonly object: KubeObject | undefined;
}): JSX.Element {
  const { containers = [], initContainers = [] } = (object as PodLike | undefined)?.spec ?? {};
  const names = [...containers, ...initContainers].map(({ name }) => name);
  const chosen = useSignal<string | undefined>(undefined);
  const previous = useSignal(false);
  const lines = useSignal<readonly string[]>([]);
  const dropped = useSignal(0);
  const state = useSignal<"loading" | "following" | "ended">("loading");
  const failure = useSignal<Pick<Status, "message" | "reason" | "details"> | undefined>(undefined);
  const turn = useSignal(0);
  const box = useRef<HTMLPreElement>(null);
  const container = chosen.value ?? names[0];
  useEffect(() => {
    if (container === undefined) return undefined;
    const abort = new AbortController();
    const buffer = new LogBuffer();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      timer = undefined;
      const { current } = box;
      const isAtEnd = !current || current.scrollHeight - current.scrollTop - current.clientHeight < 40;
      lines.value = buffer.lines();
      dropped.value = buffer.dropped;
      if (isAtEnd) requestAnimationFrame(() => current?.scrollTo({ top: current.scrollHeight }));
    };
    const read = async (): Promise<void> => {
      state.value = "loading";
      failure.value = undefined;
      lines.value = [];
      dropped.value = 0;
      try {
        const response = await send(objectPath(of.kind, of.namespace, of.name, "log"), {
          query: { container, follow: !previous.value, tailLines: TAIL_LINES, previous: previous.value },
          accept: "text/plain, */*",
          signal: abort.signal,
        });
        state.value = "following";
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done) break;
          buffer.add(value);
          timer ??= setTimeout(draw, DRAW_MS);
        }
        draw();
        state.value = "ended";
      } catch (error) {
        if (abort.signal.aborted) return;
        failure.value = statusOf(error);
        state.value = "ended";
      }
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [of.name, of.namespace, container, previous.value, turn.value]);
  return (
    <div class="logs">
      <div class="row">
        <label>
          Container{" "}
          <select
            class="select"
            value={container}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {names.map((name) => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={previous.value}
            onChange={(event) => {
              previous.value = event.currentTarget.checked;
            }}
          />{" "}
          of the run before
        </label>
        {state.value === "ended" ? (
          <Button
            onClick={() => {
              turn.value++;
            }}
          >
            Read again
          </Button>
        ) : (
          <span class="soft" role="status">
            {state.value === "loading" ? "Loading…" : "Following"}
          </span>
        )}
      </div>
      {failure.value ? (
        <ErrorBox
          title={lines.value.length === 0 ? "The log cannot be read." : "The log broke off."}
          status={failure.value}
        />
      ) : undefined}
      {dropped.value > 0 ? <p class="soft">{dropped.value} older lines are left out.</p> : undefined}
      {/* A part that scrolls takes the focus, so that keys can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre class="log-text" ref={box} tabIndex={0} role="log" aria-label={`Log of ${container ?? ""}`}>
        {lines.value.map(visible).join("\n")}
      </pre>
    </div>
  );
}
