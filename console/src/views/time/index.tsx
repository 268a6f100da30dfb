import type { JSX } from "preact";
import { moment } from "../../state/moment.ts";
import { Button } from "../../ui/basics.tsx";

/** The strip below the view that chooses the moment. */
export default function TimeStrip({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <section class="time-strip" aria-label="Time">
      <Button
        onClick={() => {
          moment.value = undefined;
          onClose();
        }}
      >
        Now
      </Button>
    </section>
  );
}
