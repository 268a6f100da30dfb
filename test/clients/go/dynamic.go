package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/pager"
)

// dynamicClient does without types what typedClients does with them.
func dynamicClient(s *session) {
	client := dynamic.NewForConfigOrDie(s.config)
	classes := client.Resource(storagev1.SchemeGroupVersion.WithResource("storageclasses"))
	claims := client.Resource(corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")).Namespace(s.namespace)
	maps := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(s.namespace)

	s.check("create, get, update, patch, delete", func(ctx context.Context) {
		class := value(classes.Create(ctx, object("storage.k8s.io/v1", "StorageClass", "dynamic", map[string]any{
			"provisioner": "example.com/disks",
		}), metav1.CreateOptions{}))
		must(unstructured.SetNestedField(class.Object, true, "allowVolumeExpansion"))
		class = value(classes.Update(ctx, class, metav1.UpdateOptions{}))
		class = value(classes.Patch(ctx, "dynamic", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{}))
		same("the label", class.GetLabels()["a"], "b")
		same("the expansion", value(classes.Get(ctx, "dynamic", metav1.GetOptions{})).Object["allowVolumeExpansion"].(bool), true)
		must(classes.Delete(ctx, "dynamic", metav1.DeleteOptions{}))
		_, err := classes.Get(ctx, "dynamic", metav1.GetOptions{})
		refused("what is gone", err, errors.IsNotFound)
	})
	s.check("apply and a status of its own", func(ctx context.Context) {
		claim := object("v1", "PersistentVolumeClaim", "dynamic", map[string]any{"spec": map[string]any{
			"accessModes": []any{"ReadWriteOnce"},
			"resources":   map[string]any{"requests": map[string]any{"storage": "1Gi"}},
		}})
		value(claims.Apply(ctx, "dynamic", claim, metav1.ApplyOptions{FieldManager: "go-dynamic"}))
		status := object("v1", "PersistentVolumeClaim", "dynamic", map[string]any{"status": map[string]any{"phase": "Lost"}})
		got := value(claims.ApplyStatus(ctx, "dynamic", status, metav1.ApplyOptions{FieldManager: "go-dynamic"}))
		phase, _, _ := unstructured.NestedString(got.Object, "status", "phase")
		same("the phase", phase, "Lost")
		same("the number of owners", len(got.GetManagedFields()), 2)
		status.Object["status"] = map[string]any{"phase": "Bound"}
		_, err := claims.ApplyStatus(ctx, "dynamic", status, metav1.ApplyOptions{FieldManager: "another"})
		refused("the field of another", err, errors.IsConflict)
	})
	s.check("a watch, with bookmarks allowed", func(ctx context.Context) {
		events := value(maps.Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true, LabelSelector: "watched"}))
		defer events.Stop()
		// A bookmark may come at any time.
		next := func() watch.EventType {
			for event := range events.ResultChan() {
				if event.Type != watch.Bookmark {
					return event.Type
				}
			}
			panic(failure{"the watch has ended"})
		}
		made := object("v1", "ConfigMap", "watched", nil)
		made.SetLabels(map[string]string{"watched": "yes"})
		value(maps.Create(ctx, made, metav1.CreateOptions{}))
		same("the event", next(), watch.Added)
		// Out of what the selector chooses is gone, to who watches.
		value(maps.Patch(ctx, "watched", types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/labels"}]`), metav1.PatchOptions{}))
		same("the event", next(), watch.Deleted)
	})
	s.check("pages, one after the other, of one moment", func(ctx context.Context) {
		for i := range 25 {
			value(maps.Create(ctx, object("v1", "ConfigMap", fmt.Sprintf("page-%02d", i), nil), metav1.CreateOptions{}))
		}
		pages := 0
		names := map[string]bool{}
		reader := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			page, err := maps.List(ctx, options)
			if err == nil && pages == 1 {
				// What comes between two pages is not of their moment.
				value(maps.Create(ctx, object("v1", "ConfigMap", "page-99", nil), metav1.CreateOptions{}))
			}
			pages++
			return page, err
		})
		reader.PageSize = 10
		reader.PageBufferSize = 0
		must(reader.EachListItem(ctx, metav1.ListOptions{}, func(item runtime.Object) error {
			names[item.(*unstructured.Unstructured).GetName()] = true
			return nil
		}))
		holds("several pages", pages >= 3)
		holds("the last of the first ones", names["page-24"])
		holds("nothing that came between", !names["page-99"])
		first := value(maps.List(ctx, metav1.ListOptions{Limit: 10}))
		same("what remains", *first.GetRemainingItemCount(), int64(len(names)+1-10))
		_, err := maps.List(ctx, metav1.ListOptions{Limit: 10, Continue: "nonsense"})
		refused("a wrong token", err, errors.IsBadRequest)
	})
	s.check("metadata alone", func(ctx context.Context) {
		client := metadata.NewForConfigOrDie(s.config).Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(s.namespace)
		listed := value(client.List(ctx, metav1.ListOptions{}))
		holds("some", len(listed.Items) >= 25)
		holds("a uid", value(client.Get(ctx, "page-01", metav1.GetOptions{})).UID != "")
		events := value(client.Watch(ctx, metav1.ListOptions{ResourceVersion: listed.ResourceVersion}))
		defer events.Stop()
		value(client.Patch(ctx, "page-01", types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{}))
		same("the annotation", (<-events.ResultChan()).Object.(*metav1.PartialObjectMetadata).Annotations["a"], "b")
	})
}

// object is one without types; further members are its own.
func object(apiVersion, kind, name string, members map[string]any) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	made.SetName(name)
	for key, member := range members {
		made.Object[key] = member
	}
	return made
}
