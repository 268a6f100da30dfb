import type { JSX } from "preact";
import type { Kind } from "../../api/discovery.ts";
import { href, objectRoute } from "../../state/route.ts";
import { at } from "../../state/moment.ts";
import { Badge, Button, Text } from "../../ui/basics.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { useWhy, Why } from "../../ui/why.tsx";
import type { StorageObjects } from "./objects.ts";
import { type Item, type Storage, titleOf } from "./item.ts";
import { STATE_BADGES } from "./tables.tsx";

type Served = Readonly<Record<keyof StorageObjects, Kind | undefined>>;

interface DetailsProps {
  readonly items: readonly Item[];
  readonly storage: Storage;
  readonly served: Served;
  readonly onSelect: (id: string) => void;
  readonly onClose: () => void;
}

/** What is known of the selected object, or the objects of the selected box. */
export function Details(props: DetailsProps): JSX.Element {
  const { items, onClose, onSelect } = props;
  const [item] = items;
  return (
    <aside class="details" aria-label="Selected">
      <div class="row">
        <h2 class="grow">
          {items.length === 1 && item ? <Text value={titleOf(item)} /> : `${items.length} ${item?.column ?? "objects"}`}
        </h2>
        <Button kind="quiet" aria-label="Close the details" onClick={onClose}>
          ✕
        </Button>
      </div>
      {items.length === 1 && item ? (
        <One key={item.id} {...props} item={item} />
      ) : (
        <VirtualRows
          class="details-many"
          label="Objects of the box"
          items={items}
          height={30}
          keyOf={({ id }) => id}
          render={(one) => (
            <button type="button" class="item" onClick={() => onSelect(one.id)}>
              <span class="item-name">
                <Text class="cut" value={one.namespace === undefined ? one.name : `${one.namespace}/${one.name}`} />
              </span>
              <span class="item-detail soft">
                <Text class="cut" value={one.detail} />
              </span>
            </button>
          )}
        />
      )}
    </aside>
  );
}

function One({ item, storage, served, onSelect }: DetailsProps & { readonly item: Item }): JSX.Element {
  const { namespace, object } = item;
  // The name of an attachment is that of its object, not that of the volume that it shows.
  const kind = object && served[item.column];
  const name = object?.name ?? item.name;
  const isPast = at.value !== undefined;
  const subject = kind && !isPast ? { kind, namespace, name } : undefined;
  const why = useWhy(subject, object?.version ?? "").value;
  const [tone, state] = STATE_BADGES[item.state];
  const near = (storage.near.get(item.id) ?? []).flatMap(({ from, to, isReady }) => {
    const other = storage.byId.get(from === item.id ? to : from);
    return other ? [{ other, isReady }] : [];
  });
  const shown = near.slice(0, MAX_LINKED);
  return (
    <>
      <p>
        <Badge tone={tone}>{state}</Badge> <Text value={item.detail} />
      </p>
      {item.wait ? (
        <p class="says">
          <Text value={item.wait.says} />
        </p>
      ) : undefined}
      {kind ? (
        <p>
          <a href={href(objectRoute(kind, namespace, name))}>Open the object</a>
        </p>
      ) : undefined}
      {kind ? (
        <>
          <h3>Why</h3>
          {isPast ? <p class="soft">The server explains only the current state.</p> : <Why state={why} />}
        </>
      ) : undefined}
      <h3>Linked with</h3>
      {shown.length === 0 ? <p class="soft">nothing</p> : undefined}
      <ul class="linked">
        {shown.map(({ other, isReady }) => (
          <li key={other.id}>
            <button type="button" class="link-button" onClick={() => onSelect(other.id)}>
              <Text value={titleOf(other)} />
            </button>{" "}
            {isReady ? undefined : <Badge tone="warning">not ready</Badge>}
          </li>
        ))}
      </ul>
      {near.length > shown.length ? <p class="soft">and {near.length - shown.length} more</p> : undefined}
    </>
  );
}

const MAX_LINKED = 50;
