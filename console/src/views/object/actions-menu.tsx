import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { can } from "../../api/rights.ts";
import { PATCH, request } from "../../api/http.ts";
import { FIELD_MANAGER, objectPath } from "../../api/kube.ts";
import { statusOf } from "../../editor/client.ts";
import { Button } from "../../ui/basics.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { visible } from "../../ui/visible.ts";
import { type ActedOn, type Action, offersOf, patchOf } from "./actions.ts";
import type { ObjectKey } from "./model.ts";

type Propagation = "Background" | "Foreground" | "Orphan";

/** A menu of what the user may do with an object. */
export function ActionsMenu({ of, object }: { readonly of: ObjectKey; readonly object: ActedOn }): JSX.Element | null {
  const { kind, namespace, name } = of;
  const dialog = useSignal<"delete" | "scale" | undefined>(undefined);
  const replicas = useSignal(1);
  const propagation = useSignal<Propagation>("Background");
  // What the user may not do is not there; before the server has responded, nothing is.
  const offers = offersOf(kind, object).filter(
    ({ verb, subresource }) => can(verb, { ...kind, ...(subresource ? { subresource } : {}) }, namespace, name).value,
  );
  if (offers.length === 0 && dialog.value === undefined) return null;
  const close = (): void => {
    dialog.value = undefined;
  };
  const perform = async (action: Action): Promise<void> => {
    close();
    try {
      if (action === "delete") {
        const preconditions = { uid: object.metadata.uid };
        await request(objectPath(kind, namespace, name), {
          method: "DELETE",
          body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: propagation.value, preconditions },
        });
        toast(`${name} is deleted.`, "good");
        return;
      }
      const path = objectPath(kind, namespace, name, action === "scale" ? "scale" : undefined);
      const body = patchOf(action, new Date().toISOString().replace(/\.\d+Z$/, "Z"), replicas.value);
      await request(path, { method: "PATCH", body, type: PATCH.merge, query: { fieldManager: FIELD_MANAGER } });
      toast(`${name}: done.`, "good");
    } catch (error) {
      toast(`${name}: ${statusOf(error).message ?? "the request has failed"}`, "bad");
    }
  };
  const items = offers.map(({ action, label }) => ({
    label,
    danger: action === "delete",
    onSelect() {
      if (action === "scale") replicas.value = object.spec?.replicas ?? 1;
      if (action === "delete" || action === "scale") dialog.value = action;
      else void perform(action);
    },
  }));
  return (
    <>
      <Menu label="Actions" title={visible(`Actions for ${name}`)} more={visible(` for ${name}`)} items={items} />
      {dialog.value === "delete" ? (
        <Dialog
          title={`Delete ${name}?`}
          onClose={close}
          actions={
            <Button kind="danger" onClick={() => void perform("delete")}>
              Delete
            </Button>
          }
        >
          <label class="field">
            What it owns
            <select
              class="select"
              value={propagation.value}
              onChange={(event) => {
                propagation.value = event.currentTarget.value as Propagation;
              }}
            >
              <option value="Background">is deleted after it</option>
              <option value="Foreground">is deleted first</option>
              <option value="Orphan">stays</option>
            </select>
          </label>
          <p class="soft">It stays in the history: Undelete restores it, with a new uid.</p>
        </Dialog>
      ) : undefined}
      {dialog.value === "scale" ? (
        <Dialog
          title={`Scale ${name}`}
          onClose={close}
          actions={
            <Button kind="primary" onClick={() => void perform("scale")}>
              Scale
            </Button>
          }
        >
          <label class="field">
            Replicas
            <input
              class="input"
              type="number"
              min={0}
              max={100_000}
              value={replicas.value}
              onInput={(event) => {
                replicas.value = Math.max(0, Math.floor(event.currentTarget.valueAsNumber || 0));
              }}
            />
          </label>
        </Dialog>
      ) : undefined}
    </>
  );
}
