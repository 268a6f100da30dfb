import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { PlainRoute } from "../../state/route.ts";
import { Button, EmptyState, ErrorBox, Text } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { FileDrop, readFiles } from "../../ui/file-drop.tsx";
import { visible } from "../../ui/visible.ts";
import { FindingCard } from "./finding-card.tsx";
import type { Opened } from "./read.ts";
import { readFile } from "./read-file.ts";
import "../../ui/views.css";
import "./findings.css";

/** The most bytes of the files that are opened together. */
const MAX_BYTES = 16 * 1024 * 1024;

/** What is opened; it stays while other views are shown. */
const opened = signal<readonly Opened[]>([]);

/** The view of the route `explore`: what `keelson explore` has found, read from its files. Nothing of them runs. */
export default function FindingsView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Explore");
  const failure = useSignal<string | undefined>(undefined);
  const pasted = useSignal("");
  /** How often something was opened: only the last of it is shown. */
  const turn = useRef(0);
  const open = async (read: () => Promise<readonly Opened[]>): Promise<void> => {
    const mine = ++turn.current;
    failure.value = undefined;
    try {
      const found = await read();
      if (mine === turn.current) opened.value = found;
    } catch (error) {
      if (mine === turn.current) failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  const openFiles = (files: readonly File[]): void =>
    void open(async () => {
      const read: Opened[] = [];
      // oxlint-disable-next-line no-await-in-loop -- one worker at a time
      for (const file of await readFiles(files, MAX_BYTES)) read.push(await readFile(file));
      return read;
    });
  return (
    <div class="view findings" data-view={route.view}>
      <header class="view-head">
        <h1>Explore</h1>
        {opened.value.length === 0 ? undefined : (
          <Button
            onClick={() => {
              opened.value = [];
            }}
          >
            Close the files
          </Button>
        )}
      </header>
      <FileDrop label="Open findings" accept=".yaml,.yml,.json" onFiles={openFiles}>
        <span class="soft">or drop files of keelson explore here: findings, and reports of -o json</span>
      </FileDrop>
      <details class="findings-paste">
        <summary>Paste one</summary>
        <label class="field">
          <span>Finding or report</span>
          <textarea
            rows={6}
            spellcheck={false}
            value={pasted.value}
            onInput={(event) => {
              pasted.value = event.currentTarget.value;
            }}
          />
        </label>
        <Button
          disabled={pasted.value.trim() === ""}
          onClick={() => void open(async () => [await readFile({ name: "pasted.yaml", text: pasted.value })])}
        >
          Open
        </Button>
      </details>
      {failure.value === undefined ? undefined : (
        <ErrorBox title="The file could not be opened." status={{ message: failure.value }} />
      )}
      {opened.value.length === 0 && failure.value === undefined ? (
        <EmptyState title="No file is open.">
          <p>
            <code>keelson explore scenario.yaml -o json &gt; report.json</code> makes a report; each finding has a file
            of its own beside it.
          </p>
          <p>The page reads them. It runs nothing, and sends nothing to the server.</p>
        </EmptyState>
      ) : undefined}
      {opened.value.map((one, i) => (
        <OpenedFile key={i} opened={one} />
      ))}
    </div>
  );
}

function OpenedFile({ opened: { title, summary, findings } }: { readonly opened: Opened }): JSX.Element {
  return (
    <section class="opened" aria-label={visible(title)}>
      <h2>
        Exploration of <Text value={title} />
      </h2>
      {summary.map((sentence, i) => (
        <p key={i}>
          <Text value={sentence} />
        </p>
      ))}
      {findings.length === 0 ? <p class="soft">Nothing was found.</p> : undefined}
      {findings.map((shown, i) => (
        <FindingCard key={i} shown={shown} isOpen={i === 0} />
      ))}
    </section>
  );
}
