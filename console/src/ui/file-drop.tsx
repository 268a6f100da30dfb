import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { classes } from "./basics.tsx";

/** A file that was chosen or dropped, as text. */
export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** The most files that are read at once. */
const MAX_FILES = 200;

/** Reads files as text. @throws Error for too many, or if all of them together have more than `most` bytes */
export async function readFiles(files: Iterable<File>, most: number): Promise<readonly TextFile[]> {
  const all = [...files];
  if (all.length > MAX_FILES) throw new Error(`expected at most ${MAX_FILES} files, found ${all.length}`);
  const bytes = all.reduce((sum, { size }) => sum + size, 0);
  if (bytes > most)
    throw new Error(
      `expected at most ${most} bytes, found ${bytes} in ${all.length === 1 ? all[0]!.name : `${all.length} files`}`,
    );
  return Promise.all(all.map(async (file) => ({ name: file.name, text: await file.text() })));
}

/** An area onto which files can be dropped, with an input that does the same. */
export function FileDrop({
  label,
  accept,
  onFiles,
  children,
}: {
  /** What files are taken: `Open manifests`. */
  readonly label: string;
  readonly accept: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const over = useSignal(false);
  /** A text can be dropped as well: without files nothing is opened. */
  const take = (files: readonly File[]): void => {
    if (files.length > 0) onFiles(files);
  };
  return (
    <div
      class={classes("drop", over.value && "drop-over")}
      role="group"
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => {
        over.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        over.value = false;
        take([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label class="button">
        {label}
        <input
          class="unseen"
          type="file"
          multiple
          accept={accept}
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            // The same file can be chosen again.
            event.currentTarget.value = "";
            take(files);
          }}
        />
      </label>
      {children}
    </div>
  );
}
