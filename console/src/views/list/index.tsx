import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { openWindow } from "../../api/stream.ts";
import { EMPTY_WINDOW } from "../../api/window-state.ts";
import type { ListRoute } from "../../state/route.ts";
import { Text } from "../../ui/basics.tsx";

/** The list of a kind. */
export default function ListView({ route }: { readonly route: ListRoute }): JSX.Element {
  const view = useSignal(EMPTY_WINDOW);
  const { group, version, resource } = route;
  useEffect(() => {
    const handle = openWindow({ group, version, resource }, { offset: 0, size: 100 }, (state) => {
      view.value = state;
    });
    return () => handle.close();
  }, [group, version, resource]);
  return (
    <ul>
      {view.value.rows.map((row) => (
        <li key={row.uid}>
          <Text value={row.name} />
        </li>
      ))}
    </ul>
  );
}
