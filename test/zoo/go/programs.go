package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// world is what programs over client-go share.
type world struct {
	typed     kubernetes.Interface
	objects   dynamic.NamespaceableResourceInterface
	informer  cache.SharedIndexInformer
	queue     workqueue.TypedRateLimitingInterface[string]
	reconcile func(context.Context, string) error
	// forgets is whether a key that failed is dropped.
	forgets bool
}

func newWorld(config *rest.Config, plural string) (*world, error) {
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	all, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	served := group.WithResource(plural)
	return &world{
		typed:    typed,
		objects:  all.Resource(served),
		informer: dynamicinformer.NewFilteredDynamicInformer(all, served, "", 0, cache.Indexers{}, nil).Informer(),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}, nil
}

func (w *world) add(object any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		w.queue.Add(key)
	}
}

func (w *world) handler() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    w.add,
		UpdateFunc: func(_, now any) { w.add(now) },
		DeleteFunc: w.add,
	}
}

// get returns an object of the cache, or nil.
func (w *world) get(key string) *unstructured.Unstructured {
	found, exists, err := w.informer.GetStore().GetByKey(key)
	if err != nil || !exists {
		return nil
	}
	return found.(*unstructured.Unstructured)
}

// work reconciles keys until the context ends, when the informers have synced.
func (w *world) work(ctx context.Context, synced ...cache.InformerSynced) error {
	if !cache.WaitForCacheSync(ctx.Done(), append(synced, w.informer.HasSynced)...) {
		return ctx.Err()
	}
	go func() {
		<-ctx.Done()
		w.queue.ShutDown()
	}()
	for {
		key, over := w.queue.Get()
		if over {
			return nil
		}
		if err := w.reconcile(ctx, key); err == nil || w.forgets {
			w.queue.Forget(key)
		} else {
			w.queue.AddRateLimited(key)
		}
		w.queue.Done(key)
	}
}

// schedules drops a key whose write was refused.
func schedules(ctx context.Context, config *rest.Config, given parts) error {
	w, err := newWorld(config, "schedules")
	if err != nil {
		return err
	}
	w.forgets = !given.mended
	w.reconcile = func(ctx context.Context, key string) error {
		schedule := w.get(key)
		if schedule == nil {
			return nil
		}
		owner := applymeta.OwnerReference().WithAPIVersion(schedule.GetAPIVersion()).WithKind(schedule.GetKind()).
			WithName(schedule.GetName()).WithUID(schedule.GetUID()).WithController(true)
		table := applycore.ConfigMap(schedule.GetName()+"-table", schedule.GetNamespace()).WithOwnerReferences(owner).
			WithData(map[string]string{"hours": text(schedule, "spec", "hours")})
		_, err := w.typed.CoreV1().ConfigMaps(schedule.GetNamespace()).
			Apply(ctx, table, metav1.ApplyOptions{FieldManager: "schedules", Force: true})
		return err
	}
	if _, err := w.informer.AddEventHandler(w.handler()); err != nil {
		return err
	}
	go w.informer.RunWithContext(ctx)
	return w.work(ctx)
}

// census counts a member once for each time that its informer adds it.
func census(ctx context.Context, config *rest.Config, given parts) error {
	w, err := newWorld(config, "members")
	if err != nil {
		return err
	}
	count := func(by func(int) int) func(context.Context) error {
		return func(ctx context.Context) error {
			maps := w.typed.CoreV1().ConfigMaps("default")
			found, err := maps.Get(ctx, "census", metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				found = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "census"}}
				if found, err = maps.Create(ctx, found, metav1.CreateOptions{}); err != nil {
					return err
				}
			} else if err != nil {
				return err
			}
			before, _ := strconv.Atoi(found.Data["members"])
			after := strconv.Itoa(by(before))
			if found.Data["members"] == after {
				return nil
			}
			found.Data = map[string]string{"members": after}
			_, err = maps.Update(ctx, found, metav1.UpdateOptions{})
			return err
		}
	}
	present := func(int) int { return len(w.informer.GetStore().List()) }
	// A key is one change of the number: it is tried until it is stored.
	w.reconcile = func(ctx context.Context, key string) error {
		switch {
		case given.mended:
			return count(present)(ctx)
		case key[0] == '+':
			return count(func(before int) int { return before + 1 })(ctx)
		default:
			return count(func(before int) int { return before - 1 })(ctx)
		}
	}
	add := func(sign string) func(any) {
		return func(object any) {
			if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
				w.queue.Add(sign + key)
			}
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: add("+"), DeleteFunc: add("-")}
	if _, err := w.informer.AddEventHandler(handler); err != nil {
		return err
	}
	go w.informer.RunWithContext(ctx)
	return w.work(ctx)
}

// directories removes an entry when it sees the deletion of the member, and only then.
func directories(ctx context.Context, config *rest.Config, given parts) error {
	w, err := newWorld(config, "members")
	if err != nil {
		return err
	}
	entries := w.typed.CoreV1().ConfigMaps("directory")
	w.reconcile = func(ctx context.Context, key string) error {
		namespace, name, err := cache.SplitMetaNamespaceKey(key)
		if err != nil {
			return err
		}
		if member := w.get(key); member != nil {
			entry := applycore.ConfigMap(name, "directory").WithData(map[string]string{"mail": text(member, "spec", "mail")})
			_, err := entries.Apply(ctx, entry, metav1.ApplyOptions{FieldManager: "directories", Force: true})
			return err
		}
		// The cache may be behind.
		if _, err := w.objects.Namespace(namespace).Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return err
		}
		entry, err := entries.Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			err = entries.Delete(ctx, name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(entry.UID))})
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	if _, err := w.informer.AddEventHandler(w.handler()); err != nil {
		return err
	}
	go w.informer.RunWithContext(ctx)
	if !given.mended {
		return w.work(ctx)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(w.typed, 0, informers.WithNamespace("directory"))
	known := factory.Core().V1().ConfigMaps().Informer()
	handler := cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		w.queue.Add("default/" + object.(*corev1.ConfigMap).Name)
	}}
	if _, err := known.AddEventHandler(handler); err != nil {
		return err
	}
	go known.RunWithContext(ctx)
	return w.work(ctx, known.HasSynced)
}

// databases lists as informers do, from a cache of any server, and deletes the claims beyond the replicas that it sees.
func databases(ctx context.Context, config *rest.Config, given parts) error {
	w, err := newWorld(config, "databases")
	if err != nil {
		return err
	}
	handle := func(ctx context.Context, database *unstructured.Unstructured) error {
		return claims(ctx, w, database, given)
	}
	for ctx.Err() == nil {
		if err := listAndWatch(ctx, w, handle); err != nil {
			fmt.Println("lists again:", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

func listAndWatch(ctx context.Context, w *world, handle func(context.Context, *unstructured.Unstructured) error) error {
	list, err := w.objects.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if err := handle(ctx, &list.Items[i]); err != nil {
			return err
		}
	}
	events, err := w.objects.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		object, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return apierrors.FromObject(event.Object)
		}
		if event.Type == "DELETED" {
			continue
		}
		if err := handle(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func replicasOf(database *unstructured.Unstructured) int {
	found, _, _ := unstructured.NestedInt64(database.Object, "spec", "replicas")
	return int(found)
}

// claims makes the claims of a database, and deletes those that it does not need any more.
func claims(ctx context.Context, w *world, database *unstructured.Unstructured, given parts) error {
	all := w.typed.CoreV1().PersistentVolumeClaims(database.GetNamespace())
	replicas := replicasOf(database)
	for i := range replicas {
		_, err := all.Create(ctx, claim(database, i), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	found, err := all.List(ctx, metav1.ListOptions{LabelSelector: "database=" + database.GetName()})
	if err != nil {
		return err
	}
	if len(found.Items) <= replicas {
		return nil
	}
	if given.mended {
		now, err := w.objects.Namespace(database.GetNamespace()).Get(ctx, database.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		replicas = replicasOf(now)
	}
	for _, one := range found.Items {
		number, err := strconv.Atoi(one.Labels["number"])
		if err != nil || number < replicas {
			continue
		}
		err = all.Delete(ctx, one.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(one.UID))})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

func claim(database *unstructured.Unstructured, number int) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name:   fmt.Sprintf("data-%s-%d", database.GetName(), number),
			Labels: map[string]string{"database": database.GetName(), "number": strconv.Itoa(number)},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}
}
