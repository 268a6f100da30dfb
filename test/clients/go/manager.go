package main

import (
	"context"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const finalizer = "example.com/mirrored"

// managing runs a manager of controller-runtime with two controllers, and has the server restarted below it.
func managing(s *session) {
	running, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	var manager ctrl.Manager
	direct := value(client.New(s.config, client.Options{Scheme: scheme.Scheme}))
	key := func(name string) types.NamespacedName {
		return types.NamespacedName{Namespace: s.namespace, Name: name}
	}
	mirrors := func(ctx context.Context, name, want string) func() bool {
		return func() bool {
			var found corev1.ConfigMap
			return direct.Get(ctx, key(name+"-mirror"), &found) == nil && found.Data["word"] == want
		}
	}
	say := func(ctx context.Context, name, word string) {
		var found corev1.ConfigMap
		must(direct.Get(ctx, key(name), &found))
		from := client.MergeFrom(found.DeepCopy())
		found.Data = map[string]string{"word": word}
		must(direct.Patch(ctx, &found, from))
	}

	s.check("a manager starts and is elected", func(ctx context.Context) {
		manager = newManager(s)
		go func() { ended <- manager.Start(running) }()
		select {
		case <-manager.Elected():
		case err := <-ended:
			panic(failure{"the manager has ended: " + err.Error()})
		case <-ctx.Done():
			panic(failure{"the manager was not elected"})
		}
		holds("its cache to be in sync", manager.GetCache().WaitForCacheSync(ctx))
		lease := value(s.clients.CoordinationV1().Leases(s.namespace).Get(ctx, "go-manager", metav1.GetOptions{}))
		holds("a holder of the lease", *lease.Spec.HolderIdentity != "")
	})
	s.check("a ConfigMap is mirrored into one that it owns", func(ctx context.Context) {
		must(direct.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "said", Labels: map[string]string{"mirror": "yes"}},
			Data:       map[string]string{"word": "one"},
		}))
		eventually(ctx, "the mirror is there", mirrors(ctx, "said", "one"))
		var said, mirror corev1.ConfigMap
		must(direct.Get(ctx, key("said"), &said))
		must(direct.Get(ctx, key("said-mirror"), &mirror))
		holds("the finalizer", controllerutil.ContainsFinalizer(&said, finalizer))
		holds("the owner to control it", metav1.IsControlledBy(&mirror, &said))
		say(ctx, "said", "two")
		eventually(ctx, "the mirror follows", mirrors(ctx, "said", "two"))
	})
	s.check("a mirror that somebody deletes or changes is put right", func(ctx context.Context) {
		must(direct.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "said-mirror"}}))
		eventually(ctx, "the mirror is there again", mirrors(ctx, "said", "two"))
		say(ctx, "said-mirror", "wrong")
		eventually(ctx, "the mirror is right again", mirrors(ctx, "said", "two"))
	})
	s.check("a claim gets its status by patch and by apply", func(ctx context.Context) {
		claim := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "claim"},
			Spec: corev1.PersistentVolumeClaimSpec{
				StorageClassName: ptr.To(""),
				AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("3Gi")},
				},
			},
		}
		must(direct.Create(ctx, claim))
		eventually(ctx, "it is bound, with a condition", func() bool {
			must(direct.Get(ctx, key("claim"), claim))
			return claim.Status.Phase == corev1.ClaimBound && len(claim.Status.Conditions) == 1
		})
		same("its capacity", claim.Status.Capacity.Storage().String(), "3Gi")
	})
	s.check("reads come from the cache, by index too", func(ctx context.Context) {
		cached := manager.GetClient()
		var found corev1.ConfigMapList
		eventually(ctx, "both who say the word are found", func() bool {
			must(cached.List(ctx, &found, client.InNamespace(s.namespace), client.MatchingFields{"word": "two"}))
			return len(found.Items) == 2
		})
		must(cached.List(ctx, &found, client.InNamespace(s.namespace), client.MatchingLabels{"mirror": "yes"}))
		same("the number with the label", len(found.Items), 1)
		must(manager.GetAPIReader().List(ctx, &found, client.InNamespace(s.namespace), client.MatchingLabels{"mirror": "yes"}, client.Limit(1)))
		same("the number with the label on the server", len(found.Items), 1)
		mapping := value(manager.GetRESTMapper().RESTMapping(corev1.SchemeGroupVersion.WithKind("PersistentVolume").GroupKind()))
		same("the resource of the kind", mapping.Resource.Resource, "persistentvolumes")
	})
	s.check("an event tells of it", func(ctx context.Context) {
		eventually(ctx, "it is there", func() bool {
			return len(value(s.clients.EventsV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Mirrored"})).Items) > 0
		})
	})
	s.check("it goes on when the server was restarted", func(ctx context.Context) {
		s.restart()
		say(ctx, "said", "three")
		eventually(ctx, "the mirror follows", mirrors(ctx, "said", "three"))
		select {
		case err := <-ended:
			panic(failure{"the manager has ended: " + err.Error()})
		default:
		}
	})
	s.check("a deleted one is kept until its mirror is gone", func(ctx context.Context) {
		said := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "said"}}
		must(direct.Delete(ctx, said))
		eventually(ctx, "it is gone", func() bool { return errors.IsNotFound(direct.Get(ctx, key("said"), said)) })
		refused("the mirror", direct.Get(ctx, key("said-mirror"), said), errors.IsNotFound)
	})
	s.check("it stops, and gives its lease up", func(ctx context.Context) {
		stop()
		select {
		case err := <-ended:
			must(err)
		case <-ctx.Done():
			panic(failure{"the manager did not end"})
		}
		lease := value(s.clients.CoordinationV1().Leases(s.namespace).Get(ctx, "go-manager", metav1.GetOptions{}))
		same("the holder", *lease.Spec.HolderIdentity, "")
	})
}

func newManager(s *session) ctrl.Manager {
	manager := value(ctrl.NewManager(s.config, ctrl.Options{
		Scheme:                        scheme.Scheme,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{s.namespace: {}}},
		LeaderElection:                true,
		LeaderElectionID:              "go-manager",
		LeaderElectionNamespace:       s.namespace,
		LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout:       ptr.To(5 * time.Second),
	}))
	must(manager.GetFieldIndexer().IndexField(context.Background(), &corev1.ConfigMap{}, "word", func(object client.Object) []string {
		return []string{object.(*corev1.ConfigMap).Data["word"]}
	}))
	labelled := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetLabels()["mirror"] == "yes" })
	must(ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}, builder.WithPredicates(labelled)).
		Owns(&corev1.ConfigMap{}).
		Complete(&mirroring{Client: manager.GetClient(), recorder: manager.GetEventRecorder("example.com/mirror")}))
	must(ctrl.NewControllerManagedBy(manager).
		For(&corev1.PersistentVolumeClaim{}).
		Complete(&binding{Client: manager.GetClient()}))
	return manager
}

// mirroring keeps a copy of each ConfigMap that wants one.
type mirroring struct {
	client.Client
	recorder events.EventRecorder
}

func (m *mirroring) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var said corev1.ConfigMap
	if err := m.Get(ctx, request.NamespacedName, &said); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	mirror := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: said.Namespace, Name: said.Name + "-mirror"}}
	if !said.DeletionTimestamp.IsZero() {
		if err := client.IgnoreNotFound(m.Delete(ctx, mirror)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(&said, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(m.Update(ctx, &said))
	}
	if controllerutil.AddFinalizer(&said, finalizer) {
		if err := m.Update(ctx, &said); err != nil {
			return ctrl.Result{}, err
		}
	}
	result, err := controllerutil.CreateOrUpdate(ctx, m.Client, mirror, func() error {
		mirror.Data = maps.Clone(said.Data)
		return controllerutil.SetControllerReference(&said, mirror, scheme.Scheme)
	})
	if err == nil && result != controllerutil.OperationResultNone {
		m.recorder.Eventf(&said, mirror, corev1.EventTypeNormal, "Mirrored", "Mirror", "the mirror was %s", result)
	}
	return ctrl.Result{}, err
}

// binding says of each claim that it is bound.
type binding struct{ client.Client }

func (b *binding) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var claim corev1.PersistentVolumeClaim
	if err := b.Get(ctx, request.NamespacedName, &claim); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if claim.Status.Phase != corev1.ClaimBound {
		from := client.MergeFromWithOptions(claim.DeepCopy(), client.MergeFromWithOptimisticLock{})
		claim.Status.Phase = corev1.ClaimBound
		claim.Status.Capacity = claim.Spec.Resources.Requests
		return ctrl.Result{}, b.Status().Patch(ctx, &claim, from)
	}
	return ctrl.Result{}, b.Status().Apply(ctx, applycore.PersistentVolumeClaim(claim.Name, claim.Namespace).
		WithStatus(applycore.PersistentVolumeClaimStatus().WithConditions(applycore.PersistentVolumeClaimCondition().
			WithType(corev1.PersistentVolumeClaimVolumeModifyVolumeError).WithStatus(corev1.ConditionFalse))),
		client.FieldOwner("binding"), client.ForceOwnership)
}
