import type { JSX } from "preact";
import type { ListRoute } from "../../state/route.ts";
import { CommandLine } from "../../ui/command-line.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { kubectlLine } from "./filters.ts";

/** The command line that prints the list that is shown. */
export function KubectlDialog({
  route,
  namespaced,
  wide,
  at,
  onClose,
}: {
  readonly route: ListRoute;
  readonly namespaced: boolean;
  readonly wide: boolean;
  readonly at: string | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const { line, differs } = kubectlLine(route, { namespaced, wide, at });
  return (
    <Dialog title="The same list in a terminal" onClose={onClose} wide>
      <CommandLine line={line} />
      {differs.length > 0 ? (
        <ul class="soft">
          {differs.map((text) => (
            <li key={text}>{text}.</li>
          ))}
        </ul>
      ) : undefined}
    </Dialog>
  );
}
