package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/pager"
)

// aGadget is an object of a version, with a spec.
func aGadget(version, name string, spec map[string]any) *unstructured.Unstructured {
	return object(gadget.Group+"/"+version, gadget.Kind, name, map[string]any{"spec": spec})
}

// member is what an object has at a path, in words.
func member(of *unstructured.Unstructured, path ...string) string {
	found, is, err := unstructured.NestedFieldNoCopy(of.Object, path...)
	must(err)
	if !is {
		return "nothing"
	}
	return fmt.Sprint(found)
}

func (g *gadgets) changed(ctx context.Context) {
	made := value(g.newer.Create(ctx, aGadget("v1", "first", map[string]any{"most": int64(9), "weight": int64(5)}), metav1.CreateOptions{}))
	same("the default size", member(made, "spec", "size"), "1")
	same("what the schema does not know", member(made, "spec", "weight"), "nothing")
	_, err := g.newer.Create(ctx, aGadget("v1", "strict", map[string]any{"weight": int64(5)}),
		metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	refused("an unknown member, strictly", err, errors.IsBadRequest)

	must(unstructured.SetNestedField(made.Object, int64(2), "spec", "size"))
	changed := value(g.newer.Update(ctx, made, metav1.UpdateOptions{}))
	same("the generation", changed.GetGeneration(), int64(2))
	_, err = g.newer.Update(ctx, made, metav1.UpdateOptions{})
	refused("the stale one", err, errors.IsConflict)
	value(g.newer.Patch(ctx, "first", types.MergePatchType, []byte(`{"spec":{"most":null},"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{}))
	value(g.newer.Patch(ctx, "first", types.JSONPatchType, []byte(`[{"op":"add","path":"/spec/parts","value":[{"name":"wheel"}]}]`), metav1.PatchOptions{}))
	_, err = g.newer.Patch(ctx, "first", types.StrategicMergePatchType, []byte(`{"spec":{"size":3}}`), metav1.PatchOptions{})
	refused("a strategic patch", err, errors.IsUnsupportedMediaType)
	got := value(g.newer.Get(ctx, "first", metav1.GetOptions{}))
	same("the label", got.GetLabels()["a"], "b")
	same("the spec", member(got, "spec"), "map[colour:grey parts:[map[count:1 name:wheel]] size:2]")
	must(g.newer.Delete(ctx, "first", metav1.DeleteOptions{}))
	_, err = g.newer.Get(ctx, "first", metav1.GetOptions{})
	refused("what is gone", err, errors.IsNotFound)
}

func (g *gadgets) applied(ctx context.Context) {
	with := func(size int64, part string) *unstructured.Unstructured {
		return aGadget("v1", "applied", map[string]any{"size": size, "parts": []any{map[string]any{"name": part}}})
	}
	value(g.newer.Apply(ctx, "applied", with(2, "wheel"), metav1.ApplyOptions{FieldManager: "one"}))
	both := value(g.newer.Apply(ctx, "applied", with(2, "bell"), metav1.ApplyOptions{FieldManager: "two"}))
	same("the parts of both", member(both, "spec", "parts"), "[map[count:1 name:wheel] map[count:1 name:bell]]")
	_, err := g.newer.Apply(ctx, "applied", with(3, "bell"), metav1.ApplyOptions{FieldManager: "two"})
	refused("the size of another", err, errors.IsConflict)
	forced := value(g.newer.Apply(ctx, "applied", with(3, "bell"), metav1.ApplyOptions{FieldManager: "two", Force: true}))
	same("the size", member(forced, "spec", "size"), "3")
	less := value(g.newer.Apply(ctx, "applied", aGadget("v1", "applied", map[string]any{}), metav1.ApplyOptions{FieldManager: "one"}))
	same("the parts that are left", member(less, "spec", "parts"), "[map[count:1 name:bell]]")
	must(g.newer.Delete(ctx, "applied", metav1.DeleteOptions{}))
}

func (g *gadgets) paged(ctx context.Context) {
	for i := range 25 {
		value(g.newer.Create(ctx, aGadget("v1", fmt.Sprintf("page-%02d", i), map[string]any{"size": int64(i)}), metav1.CreateOptions{}))
	}
	pages := 0
	reader := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		pages++
		return g.newer.List(ctx, options)
	})
	reader.PageSize = 10
	names := []string{}
	must(reader.EachListItem(ctx, metav1.ListOptions{}, func(item runtime.Object) error {
		names = append(names, item.(*unstructured.Unstructured).GetName())
		return nil
	}))
	same("the number of pages", pages, 3)
	same("the number of objects", len(names), 25)
	same("the last one", names[24], "page-24")
	must(g.newer.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	same("what is left", len(value(g.newer.List(ctx, metav1.ListOptions{})).Items), 0)
}

func (g *gadgets) tabled(ctx context.Context) {
	value(g.newer.Create(ctx, aGadget("v1", "told", map[string]any{"size": int64(4), "maker": "us"}), metav1.CreateOptions{}))
	path := []string{"apis", gadget.Group, "v1", "namespaces", g.namespace, "gadgets"}
	text := value(g.clients.Discovery().RESTClient().Get().AbsPath(path...).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx))
	var table metav1.Table
	must(json.Unmarshal(text, &table))
	columns := []string{}
	for _, column := range table.ColumnDefinitions {
		columns = append(columns, column.Name)
	}
	same("the columns", strings.Join(columns, " "), "Name Size Maker")
	same("the cells", fmt.Sprint(table.Rows[0].Cells...), fmt.Sprint("told", 4, "us"))
	must(g.newer.Delete(ctx, "told", metav1.DeleteOptions{}))
}

func (g *gadgets) refusedByRules(ctx context.Context) {
	_, err := g.newer.Create(ctx, aGadget("v1", "large", map[string]any{"size": int64(5), "most": int64(3)}), metav1.CreateOptions{})
	refused("what is too large", err, errors.IsInvalid)
	same("its cause", causes(err), "FieldValueForbidden at spec.size: Forbidden: size may be 3 at most")
	_, err = g.newer.Create(ctx, aGadget("v1", "negative", map[string]any{"size": int64(-1)}), metav1.CreateOptions{})
	holds("a bound as the cause, not "+causes(err), strings.HasPrefix(causes(err), "FieldValueInvalid at spec.size: Invalid value: -1: "))
	value(g.newer.Create(ctx, aGadget("v1", "made", map[string]any{"maker": "us"}), metav1.CreateOptions{}))
	_, err = g.newer.Patch(ctx, "made", types.MergePatchType, []byte(`{"spec":{"maker":"them"}}`), metav1.PatchOptions{})
	refused("another maker", err, errors.IsInvalid)
	same("its cause", causes(err), `FieldValueInvalid at spec.maker: Invalid value: "them": the maker stays`)
	must(g.newer.Delete(ctx, "made", metav1.DeleteOptions{}))
}

// causes are those of a refusal, in words.
func causes(err error) string {
	status, is := err.(errors.APIStatus)
	holds("a status", is)
	told := []string{}
	for _, cause := range status.Status().Details.Causes {
		told = append(told, fmt.Sprintf("%s at %s: %s", cause.Type, cause.Field, cause.Message))
	}
	return strings.Join(told, ", ")
}

func (g *gadgets) reported(ctx context.Context) {
	made := value(g.newer.Create(ctx, aGadget("v1", "reported", map[string]any{"size": int64(2)}), metav1.CreateOptions{}))
	made.Object["status"] = map[string]any{"size": int64(1)}
	must(unstructured.SetNestedField(made.Object, int64(7), "spec", "size"))
	told := value(g.newer.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
	same("the size that was told", member(told, "status", "size"), "1")
	same("the size that is wanted", member(told, "spec", "size"), "2")
	same("the generation after it", told.GetGeneration(), int64(1))

	must(unstructured.SetNestedField(told.Object, int64(3), "spec", "size"))
	must(unstructured.SetNestedField(told.Object, int64(3), "status", "size"))
	wanted := value(g.newer.Update(ctx, told, metav1.UpdateOptions{}))
	same("the size that is wanted", member(wanted, "spec", "size"), "3")
	same("the size that was told", member(wanted, "status", "size"), "1")
	same("the generation after it", wanted.GetGeneration(), int64(2))

	report := object("go.example.com/v1", gadget.Kind, "reported", map[string]any{"status": map[string]any{"size": int64(3)}})
	_, err := g.newer.ApplyStatus(ctx, "reported", report, metav1.ApplyOptions{FieldManager: "reporter"})
	refused("the field of another", err, errors.IsConflict)
	told = value(g.newer.ApplyStatus(ctx, "reported", report, metav1.ApplyOptions{FieldManager: "reporter", Force: true}))
	same("the size that was told", member(told, "status", "size"), "3")
	told = value(g.newer.Patch(ctx, "reported", types.MergePatchType, []byte(`{"status":{"selector":"of=reported"}}`), metav1.PatchOptions{}, "status"))
	same("the status", member(told, "status"), "map[selector:of=reported size:3]")
}

func (g *gadgets) scaled(ctx context.Context) {
	scales := value(scale.NewForConfig(rest.CopyConfig(g.config), g.mapper, dynamic.LegacyAPIPathResolverFunc,
		scale.NewDiscoveryScaleKindResolver(g.clients.Discovery()))).Scales(g.namespace)
	got := value(scales.Get(ctx, newer.GroupResource(), "reported", metav1.GetOptions{}))
	same("what is wanted", got.Spec.Replicas, int32(3))
	same("what there is", got.Status.Replicas, int32(3))
	same("the selector", got.Status.Selector, "of=reported")
	got.Spec.Replicas = 5
	got = value(scales.Update(ctx, newer.GroupResource(), got, metav1.UpdateOptions{}))
	same("what is wanted", got.Spec.Replicas, int32(5))
	got = value(scales.Patch(ctx, newer, "reported", types.MergePatchType, []byte(`{"spec":{"replicas":6}}`), metav1.PatchOptions{}))
	same("what is wanted", got.Spec.Replicas, int32(6))
	same("the size of the object", member(value(g.newer.Get(ctx, "reported", metav1.GetOptions{})), "spec", "size"), "6")
	got.Spec.Replicas = -1
	_, err := scales.Update(ctx, newer.GroupResource(), got, metav1.UpdateOptions{})
	refused("less than nothing", err, errors.IsInvalid)
	must(g.newer.Delete(ctx, "reported", metav1.DeleteOptions{}))
}

func (g *gadgets) watched(ctx context.Context) {
	listed := value(g.newer.List(ctx, metav1.ListOptions{}))
	events := value(g.newer.Watch(ctx, metav1.ListOptions{ResourceVersion: listed.GetResourceVersion(), LabelSelector: "watched"}))
	defer events.Stop()
	made := aGadget("v1", "watched", map[string]any{})
	made.SetLabels(map[string]string{"watched": "yes"})
	value(g.newer.Create(ctx, made, metav1.CreateOptions{}))
	value(g.newer.Patch(ctx, "watched", types.MergePatchType, []byte(`{"spec":{"size":2}}`), metav1.PatchOptions{}))
	must(g.newer.Delete(ctx, "watched", metav1.DeleteOptions{}))
	for _, want := range []struct {
		event watch.EventType
		size  string
	}{{watch.Added, "1"}, {watch.Modified, "2"}, {watch.Deleted, "2"}} {
		event := <-events.ResultChan()
		same("the event", event.Type, want.event)
		same("the size", member(event.Object.(*unstructured.Unstructured), "spec", "size"), want.size)
	}
}

func (g *gadgets) owned(ctx context.Context) {
	namespace := value(g.clients.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "go-clients-"}}, metav1.CreateOptions{})).Name
	inside := g.client.Resource(newer).Namespace(namespace)
	maps := g.clients.CoreV1().ConfigMaps(namespace)
	owner := value(inside.Create(ctx, aGadget("v1", "owner", map[string]any{}), metav1.CreateOptions{}))
	owners := []metav1.OwnerReference{*metav1.NewControllerRef(owner, newer.GroupVersion().WithKind(gadget.Kind))}
	part := aGadget("v1", "part", map[string]any{})
	part.SetOwnerReferences(owners)
	value(inside.Create(ctx, part, metav1.CreateOptions{}))
	value(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "part", OwnerReferences: owners}}, metav1.CreateOptions{}))
	must(inside.Delete(ctx, "owner", metav1.DeleteOptions{}))
	eventually(ctx, "the parts are gone", func() bool {
		_, err := inside.Get(ctx, "part", metav1.GetOptions{})
		_, errOfMap := maps.Get(ctx, "part", metav1.GetOptions{})
		return errors.IsNotFound(err) && errors.IsNotFound(errOfMap)
	})

	value(inside.Create(ctx, aGadget("v1", "inside", map[string]any{}), metav1.CreateOptions{}))
	must(g.clients.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	eventually(ctx, "the namespace is gone", func() bool {
		_, err := g.clients.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		return errors.IsNotFound(err)
	})
	_, err := inside.Get(ctx, "inside", metav1.GetOptions{})
	refused("what was inside", err, errors.IsNotFound)
}

func (g *gadgets) convertedOnReads(ctx context.Context) {
	events := value(g.newer.Watch(ctx, metav1.ListOptions{}))
	defer events.Stop()
	value(g.older.Create(ctx, aGadget("v1beta1", "old", map[string]any{"size": int64(4)}), metav1.CreateOptions{}))
	for what, got := range map[string]*unstructured.Unstructured{
		"read":    value(g.newer.Get(ctx, "old", metav1.GetOptions{})),
		"listed":  &value(g.newer.List(ctx, metav1.ListOptions{})).Items[0],
		"watched": (<-events.ResultChan()).Object.(*unstructured.Unstructured),
	} {
		same("the version as "+what, got.GetAPIVersion(), "go.example.com/v1")
		same("the spec as "+what, member(got, "spec"), "map[colour:grey size:4]")
	}
	same("the spec in its own version", member(value(g.older.Get(ctx, "old", metav1.GetOptions{})), "spec"), "map[size:4]")
}

func (g *gadgets) stored(ctx context.Context) {
	definitions := g.extend.ApiextensionsV1().CustomResourceDefinitions()
	definition := value(definitions.Get(ctx, definitionName, metav1.GetOptions{}))
	for i := range definition.Spec.Versions {
		definition.Spec.Versions[i].Storage = definition.Spec.Versions[i].Name == newer.Version
	}
	definition = value(definitions.Update(ctx, definition, metav1.UpdateOptions{}))
	same("the generation", definition.Generation, int64(2))
	same("the stored versions", strings.Join(definition.Status.StoredVersions, " "), "v1beta1 v1")
	same("the size of the old one", member(value(g.newer.Get(ctx, "old", metav1.GetOptions{})), "spec", "size"), "4")
	eventually(ctx, "a colour is kept", func() bool {
		value(g.newer.Patch(ctx, "old", types.MergePatchType, []byte(`{"spec":{"colour":"red"}}`), metav1.PatchOptions{}))
		return member(value(g.newer.Get(ctx, "old", metav1.GetOptions{})), "spec", "colour") == "red"
	})
	definition.Status.StoredVersions = []string{newer.Version}
	definition = value(definitions.UpdateStatus(ctx, definition, metav1.UpdateOptions{}))
	same("the stored versions", strings.Join(definition.Status.StoredVersions, " "), "v1")
	must(g.newer.Delete(ctx, "old", metav1.DeleteOptions{}))
}
