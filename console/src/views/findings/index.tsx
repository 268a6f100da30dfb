import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { MAX_LENGTH, ParseFailure, parseInWorker } from "../../editor/yaml.ts";
import type { Value } from "../../../../src/value/value.ts";
import type { PlainRoute } from "../../state/route.ts";
import { Button, EmptyState, ErrorBox, Text } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { FileDrop, readFiles } from "../../ui/file-drop.tsx";
import { visible } from "../../ui/visible.ts";
import { FindingCard } from "./finding-card.tsx";
import { type Opened, openedOf } from "./read.ts";
import "../../ui/views.css";
import "./findings.css";

/** The largest report in bytes. */
const MAX_REPORT = 16 * 1024 * 1024;

/** What is opened; it stays while other views are shown. */
const opened = signal<readonly Opened[]>([]);

/** The view of the route `explore`: what `keelson explore` has found, read from its files. Nothing of them runs. */
export default function FindingsView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Explore");
  const failure = useSignal<string | undefined>(undefined);
  const pasted = useSignal("");
  const open = async (read: () => Promise<readonly Opened[]>): Promise<void> => {
    failure.value = undefined;
    try {
      opened.value = await read();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  const openFiles = (files: readonly File[]): void =>
    void open(async () => {
      const all = await readFiles(files, MAX_REPORT);
      return Promise.all(all.map(({ name, text }) => readText(text, name)));
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
          onClick={() => void open(async () => [await readText(pasted.value, "pasted.yaml")])}
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

/** Reads a text as a finding or a report; JSON of reports may be longer than YAML. */
async function readText(text: string, file: string): Promise<Opened> {
  try {
    return openedOf(await valueOf(text, file), file);
  } catch (error) {
    throw new ParseFailure(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function valueOf(text: string, file: string): Promise<Value> {
  if (text.length > MAX_LENGTH && text.trimStart().startsWith("{")) return JSON.parse(text) as Value;
  const [first, ...more] = await parseInWorker(text);
  if (!first || more.length > 0)
    throw new ParseFailure(`expected one document in ${file}, found ${first ? more.length + 1 : 0}`);
  return first.value;
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
