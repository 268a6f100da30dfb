package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applyscaling1 "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applyscaling2 "k8s.io/client-go/applyconfigurations/autoscaling/v2"
	applybatch "k8s.io/client-go/applyconfigurations/batch/v1"
	applycoordination "k8s.io/client-go/applyconfigurations/coordination/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applydiscovery "k8s.io/client-go/applyconfigurations/discovery/v1"
	applynetworking "k8s.io/client-go/applyconfigurations/networking/v1"
	applynode "k8s.io/client-go/applyconfigurations/node/v1"
	applypolicy "k8s.io/client-go/applyconfigurations/policy/v1"
	applyresource "k8s.io/client-go/applyconfigurations/resource/v1"
	applyscheduling "k8s.io/client-go/applyconfigurations/scheduling/v1"
	applystorage "k8s.io/client-go/applyconfigurations/storage/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// apiObject is what typed clients are about.
type apiObject interface {
	metav1.Object
	runtime.Object
}

// typed is what the client of a kind P has, with its list L and its apply configuration A.
type typed[P, L, A any] interface {
	Create(context.Context, P, metav1.CreateOptions) (P, error)
	Get(context.Context, string, metav1.GetOptions) (P, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Update(context.Context, P, metav1.UpdateOptions) (P, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (P, error)
	Apply(context.Context, A, metav1.ApplyOptions) (P, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
}

// typedStatus is what the client of a kind with a status has beside that.
type typedStatus[P any] interface {
	UpdateStatus(context.Context, P, metav1.UpdateOptions) (P, error)
}

// life is what happens to an object between its creation and its end. Saying a change twice is like saying it once.
type life[P any] struct {
	made   P
	change func(P)
	// Nil for kinds without one.
	status func(P)
	// Takes off what protobuf does not tell; nil where there is no such thing.
	untold func(P)
}

// withFormats has something tried in JSON and in protobuf, with clients that speak the other format beside them.
func withFormats(s *session, try func(format string, clients, others kubernetes.Interface)) {
	speaking := func(contentType string) kubernetes.Interface {
		config := rest.CopyConfig(s.config)
		config.ContentType = contentType
		return kubernetes.NewForConfigOrDie(config)
	}
	json, protobuf := speaking(runtime.ContentTypeJSON), speaking(runtime.ContentTypeProtobuf)
	try("in JSON", json, protobuf)
	try("in protobuf", protobuf, json)
}

// lives has an object made, read in both formats, listed, watched, updated, patched, applied and deleted.
func lives[P apiObject, L runtime.Object, A any](ctx context.Context, client, other typed[P, L, A], applied A, its life[P]) {
	name := its.made.GetName()
	its.made.SetLabels(map[string]string{"of": "kinds"})
	before, err := meta.ListAccessor(value(client.List(ctx, metav1.ListOptions{})))
	must(err)
	events := value(client.Watch(ctx, metav1.ListOptions{
		ResourceVersion: before.GetResourceVersion(), FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String(),
	}))
	defer events.Stop()

	made := value(client.Create(ctx, its.made, metav1.CreateOptions{}))
	holds("a uid", made.GetUID() != "")
	holds("the first generation or none", made.GetGeneration() < 2)
	agrees(ctx, client, other, name, its.untold)

	changed := written(ctx, client, name, its.change, client.Update)
	if made.GetGeneration() == 1 && specOf(made) != nil {
		same("that the generation is another one", changed.GetGeneration() == 2, !equality.Semantic.DeepEqual(specOf(changed), specOf(made)))
	}
	if its.status != nil {
		told := written(ctx, client, name, its.status, client.(typedStatus[P]).UpdateStatus)
		same("the generation after a status", told.GetGeneration(), changed.GetGeneration())
	}
	agrees(ctx, client, other, name, its.untold)

	patch := []byte(`{"metadata":{"annotations":{"patched":"yes"}}}`)
	patched := value(client.Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}))
	same("the annotation", patched.GetAnnotations()["patched"], "yes")

	after := value(client.Apply(ctx, applied, metav1.ApplyOptions{FieldManager: "kinds"}))
	same("the applied label", after.GetLabels()["applied"], "yes")
	same("the other one", after.GetLabels()["of"], "kinds")
	holds("the manager of what was applied", slices.ContainsFunc(after.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == "kinds" && entry.Operation == metav1.ManagedFieldsOperationApply
	}))

	must(client.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}))
	for last := watch.EventType(""); last != watch.Deleted; {
		select {
		case event, open := <-events.ResultChan():
			holds("a watch that goes on until the deletion", open)
			if last == "" {
				same("the first event", event.Type, watch.Added)
			}
			same("the kind of the object", reflect.TypeOf(event.Object), reflect.TypeOf(runtime.Object(made)))
			same("the object of the event", event.Object.(P).GetUID(), made.GetUID())
			last = event.Type
		case <-ctx.Done():
			panic(failure{"expected the deletion to be told in time"})
		}
	}
	_, err = client.Get(ctx, name, metav1.GetOptions{})
	refused("what is gone", err, errors.IsNotFound)
}

// written writes a change of the newest version, and gives what was answered, which has the change and nothing against it.
func written[P apiObject, L runtime.Object, A any](ctx context.Context, client typed[P, L, A], name string, change func(P),
	write func(context.Context, P, metav1.UpdateOptions) (P, error)) (answered P) {
	must(retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
		newest := value(client.Get(ctx, name, metav1.GetOptions{}))
		change(newest)
		answered, err = write(ctx, newest, metav1.UpdateOptions{})
		return err
	}))
	again := answered.DeepCopyObject().(P)
	change(again)
	equal("what was written", answered, again)
	return answered
}

// specOf is the spec of an object, nil of a kind that has none.
func specOf(object runtime.Object) any {
	if spec := reflect.ValueOf(object).Elem().FieldByName("Spec"); spec.IsValid() {
		return spec.Interface()
	}
	return nil
}

// agrees compares an object in two formats, and with itself in a list.
func agrees[P apiObject, L runtime.Object, A any](ctx context.Context, client, other typed[P, L, A], name string, untold func(P)) {
	eventually(ctx, "nobody writes the object", func() bool {
		got, seen := value(client.Get(ctx, name, metav1.GetOptions{})), value(other.Get(ctx, name, metav1.GetOptions{}))
		list := value(client.List(ctx, metav1.ListOptions{LabelSelector: "of=kinds"}))
		items := value(meta.ExtractList(list))
		at := slices.IndexFunc(items, func(item runtime.Object) bool { return item.(P).GetName() == name })
		holds("the object in the list", at >= 0)
		listed := items[at].(P)
		if got.GetResourceVersion() != seen.GetResourceVersion() || got.GetResourceVersion() != listed.GetResourceVersion() {
			return false
		}
		if untold != nil {
			untold(got)
			untold(seen)
			untold(listed)
		}
		equal("the object in the other format", seen, got)
		equal("the object in the list", listed, got)
		return true
	})
}

// equal fails the check when two objects differ.
func equal(what string, got, want any) {
	if !equality.Semantic.DeepEqual(got, want) {
		panic(failure{fmt.Sprintf("expected %s to be %+v, got %+v", what, want, got)})
	}
}

// replicas are how many of something there are, changed or told in a status.
const replicas int32 = 3

var (
	labels1  = map[string]string{"app": "a"}
	selector = &metav1.LabelSelector{MatchLabels: labels1}
	applies  = map[string]string{"applied": "yes"}
)

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

// podOf is what Pods are made of, with something of most sorts.
func podOf(restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")}}}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels1},
		Spec: corev1.PodSpec{
			RestartPolicy: restart,
			Containers: []corev1.Container{{
				Name: "c", Image: "i:1",
				Ports:          []corev1.ContainerPort{{Name: "http", ContainerPort: 80}},
				ReadinessProbe: probe,
				Env: []corev1.EnvVar{{Name: "NAME", ValueFrom: &corev1.EnvVarSource{
					FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"},
				}}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")},
					Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
				},
				SecurityContext: &corev1.SecurityContext{RunAsNonRoot: ptr.To(true)},
				VolumeMounts:    []corev1.VolumeMount{{Name: "v", MountPath: "/v"}},
			}},
			Volumes:     []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			Tolerations: []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}},
		},
	}
}

// builtinKinds has an object of each kind live that is not tried elsewhere.
func builtinKinds(s *session) {
	withFormats(s, func(format string, clients, others kubernetes.Interface) {
		for _, one := range []struct {
			name string
			try  func(ctx context.Context, ns string, c, o kubernetes.Interface)
		}{
			{"apps: Deployment, StatefulSet, DaemonSet, ReplicaSet, ControllerRevision", appsKinds},
			{"batch: Job, CronJob", batchKinds},
			{"autoscaling: HorizontalPodAutoscaler in v1 and v2", autoscalingKinds},
			{"policy: PodDisruptionBudget", policyKinds},
			{"networking: Ingress, IngressClass, NetworkPolicy, IPAddress, ServiceCIDR", networkingKinds},
			{"discovery: EndpointSlice", discoveryKinds},
			{"scheduling: PriorityClass", schedulingKinds},
			{"node: RuntimeClass", nodeKinds},
			{"resource: DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice", resourceKinds},
			{"storage: CSIDriver, CSINode, CSIStorageCapacity, VolumeAttributesClass", storageKinds},
			{"coordination: Lease", coordinationKinds},
			{"core: Pod, PodTemplate, ReplicationController", podKinds},
			{"core: Service, Endpoints", serviceKinds},
			{"core: LimitRange, ResourceQuota, ServiceAccount", namespaceKinds},
			{"core: Node", clusterKinds},
		} {
			s.check(one.name+", "+format, func(ctx context.Context) { one.try(ctx, s.namespace, clients, others) })
		}
	})
}

func appsKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	template := podOf(corev1.RestartPolicyAlways)
	lives(ctx, c.AppsV1().Deployments(ns), o.AppsV1().Deployments(ns), applyapps.Deployment("d", ns).WithLabels(applies), life[*appsv1.Deployment]{
		made: &appsv1.Deployment{ObjectMeta: named("d"), Spec: appsv1.DeploymentSpec{
			Selector: selector, Template: template,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: ptr.To(intstr.FromString("25%")), MaxUnavailable: ptr.To(intstr.FromInt32(0)),
			}},
		}},
		change: func(d *appsv1.Deployment) {
			d.Spec.Replicas = ptr.To(replicas)
			d.Spec.Template.Spec.Containers[0].Image = "i:2"
		},
		status: func(d *appsv1.Deployment) {
			d.Status.ObservedGeneration, d.Status.Replicas, d.Status.ReadyReplicas, d.Status.AvailableReplicas = 2, replicas, 2, 1
			d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "Enough"}}
		},
	})
	lives(ctx, c.AppsV1().StatefulSets(ns), o.AppsV1().StatefulSets(ns), applyapps.StatefulSet("s", ns).WithLabels(applies), life[*appsv1.StatefulSet]{
		made: &appsv1.StatefulSet{ObjectMeta: named("s"), Spec: appsv1.StatefulSetSpec{
			Selector: selector, Template: template, ServiceName: "s", PodManagementPolicy: appsv1.ParallelPodManagement,
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: named("data"), Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			}}},
		}},
		change: func(s *appsv1.StatefulSet) {
			s.Spec.Replicas = ptr.To(replicas)
			s.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType, WhenScaled: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			}
		},
		status: func(s *appsv1.StatefulSet) { s.Status.Replicas, s.Status.CurrentRevision = replicas, "s-1" },
		untold: func(s *appsv1.StatefulSet) { s.Spec.VolumeClaimTemplates[0].TypeMeta = metav1.TypeMeta{} },
	})
	lives(ctx, c.AppsV1().DaemonSets(ns), o.AppsV1().DaemonSets(ns), applyapps.DaemonSet("d", ns).WithLabels(applies), life[*appsv1.DaemonSet]{
		made:   &appsv1.DaemonSet{ObjectMeta: named("d"), Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}},
		change: func(d *appsv1.DaemonSet) { d.Spec.MinReadySeconds = 5 },
		status: func(d *appsv1.DaemonSet) { d.Status.DesiredNumberScheduled, d.Status.NumberReady = replicas, 1 },
	})
	lives(ctx, c.AppsV1().ReplicaSets(ns), o.AppsV1().ReplicaSets(ns), applyapps.ReplicaSet("r", ns).WithLabels(applies), life[*appsv1.ReplicaSet]{
		made:   &appsv1.ReplicaSet{ObjectMeta: named("r"), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template}},
		change: func(r *appsv1.ReplicaSet) { r.Spec.Replicas = ptr.To(replicas) },
		status: func(r *appsv1.ReplicaSet) { r.Status.Replicas, r.Status.FullyLabeledReplicas = replicas, 2 },
	})
	lives(ctx, c.AppsV1().ControllerRevisions(ns), o.AppsV1().ControllerRevisions(ns), applyapps.ControllerRevision("r", ns).WithLabels(applies).WithRevision(2), life[*appsv1.ControllerRevision]{
		made:   &appsv1.ControllerRevision{ObjectMeta: named("r"), Revision: 1, Data: runtime.RawExtension{Raw: []byte(`{"spec":{"a":[1,"b"]}}`)}},
		change: func(r *appsv1.ControllerRevision) { r.Revision = 2 },
	})
}

func batchKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	job := batchv1.JobSpec{Template: podOf(corev1.RestartPolicyNever), Completions: ptr.To[int32](2), BackoffLimit: ptr.To[int32](4)}
	now := metav1.Now().Rfc3339Copy()
	lives(ctx, c.BatchV1().Jobs(ns), o.BatchV1().Jobs(ns), applybatch.Job("j", ns).WithLabels(applies), life[*batchv1.Job]{
		made:   &batchv1.Job{ObjectMeta: named("j"), Spec: job},
		change: func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To(replicas) },
		status: func(j *batchv1.Job) { j.Status.StartTime, j.Status.Active, j.Status.Ready = &now, 2, ptr.To[int32](1) },
	})
	lives(ctx, c.BatchV1().CronJobs(ns), o.BatchV1().CronJobs(ns), applybatch.CronJob("j", ns).WithLabels(applies), life[*batchv1.CronJob]{
		made: &batchv1.CronJob{ObjectMeta: named("j"), Spec: batchv1.CronJobSpec{
			Schedule: "*/5 * * * *", TimeZone: ptr.To("Etc/UTC"), JobTemplate: batchv1.JobTemplateSpec{Spec: job},
		}},
		change: func(j *batchv1.CronJob) {
			j.Spec.Suspend, j.Spec.ConcurrencyPolicy = ptr.To(true), batchv1.ForbidConcurrent
		},
		status: func(j *batchv1.CronJob) { j.Status.LastScheduleTime = &now },
	})
}

func autoscalingKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.AutoscalingV1().HorizontalPodAutoscalers(ns), o.AutoscalingV1().HorizontalPodAutoscalers(ns), applyscaling1.HorizontalPodAutoscaler("h", ns).WithLabels(applies), life[*autoscalingv1.HorizontalPodAutoscaler]{
		made: &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: named("h"), Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"},
			MaxReplicas:    10, TargetCPUUtilizationPercentage: ptr.To[int32](80),
		}},
		change: func(h *autoscalingv1.HorizontalPodAutoscaler) { h.Spec.MinReplicas = ptr.To(replicas) },
		status: func(h *autoscalingv1.HorizontalPodAutoscaler) {
			h.Status.CurrentReplicas, h.Status.DesiredReplicas = replicas, 4
		},
	})
	lives(ctx, c.AutoscalingV2().HorizontalPodAutoscalers(ns), o.AutoscalingV2().HorizontalPodAutoscalers(ns), applyscaling2.HorizontalPodAutoscaler("h", ns).WithLabels(applies), life[*autoscalingv2.HorizontalPodAutoscaler]{
		made: &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: named("h"), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"},
			MaxReplicas:    10,
			Metrics: []autoscalingv2.MetricSpec{
				{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
					Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr.To[int32](80)},
				}},
				{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{
					Metric: autoscalingv2.MetricIdentifier{Name: "requests"},
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr.To(resource.MustParse("1k"))},
				}},
			},
		}},
		change: func(h *autoscalingv2.HorizontalPodAutoscaler) { h.Spec.MaxReplicas = 12 },
		status: func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Status.CurrentReplicas, h.Status.DesiredReplicas = replicas, 4
			h.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale, Status: corev1.ConditionTrue}}
		},
	})
}

func policyKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.PolicyV1().PodDisruptionBudgets(ns), o.PolicyV1().PodDisruptionBudgets(ns), applypolicy.PodDisruptionBudget("b", ns).WithLabels(applies), life[*policyv1.PodDisruptionBudget]{
		made:   &policyv1.PodDisruptionBudget{ObjectMeta: named("b"), Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector, MinAvailable: ptr.To(intstr.FromString("50%"))}},
		change: func(b *policyv1.PodDisruptionBudget) { b.Spec.MinAvailable = ptr.To(intstr.FromInt32(1)) },
		status: func(b *policyv1.PodDisruptionBudget) {
			b.Status.DisruptionsAllowed, b.Status.CurrentHealthy, b.Status.DesiredHealthy, b.Status.ExpectedPods = 1, 2, 1, 2
		},
	})
}

func networkingKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.NetworkingV1().Ingresses(ns), o.NetworkingV1().Ingresses(ns), applynetworking.Ingress("i", ns).WithLabels(applies), life[*networkingv1.Ingress]{
		made: &networkingv1.Ingress{ObjectMeta: named("i"), Spec: networkingv1.IngressSpec{
			TLS: []networkingv1.IngressTLS{{Hosts: []string{"example.com"}, SecretName: "s"}},
			Rules: []networkingv1.IngressRule{{Host: "example.com", IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
				Paths: []networkingv1.HTTPIngressPath{{Path: "/", PathType: ptr.To(networkingv1.PathTypePrefix), Backend: networkingv1.IngressBackend{
					Service: &networkingv1.IngressServiceBackend{Name: "s", Port: networkingv1.ServiceBackendPort{Number: 80}},
				}}},
			}}}},
		}},
		change: func(i *networkingv1.Ingress) { i.Spec.IngressClassName = ptr.To("public") },
		status: func(i *networkingv1.Ingress) {
			i.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{IP: "192.0.2.1", Ports: []networkingv1.IngressPortStatus{{Port: 443, Protocol: corev1.ProtocolTCP}}}}
		},
	})
	lives(ctx, c.NetworkingV1().IngressClasses(), o.NetworkingV1().IngressClasses(), applynetworking.IngressClass("i").WithLabels(applies), life[*networkingv1.IngressClass]{
		made: &networkingv1.IngressClass{ObjectMeta: named("i"), Spec: networkingv1.IngressClassSpec{Controller: "example.com/ingress"}},
		change: func(i *networkingv1.IngressClass) {
			i.Spec.Parameters = &networkingv1.IngressClassParametersReference{Kind: "K", Name: "n", Scope: ptr.To(networkingv1.IngressClassParametersReferenceScopeCluster)}
		},
	})
	lives(ctx, c.NetworkingV1().NetworkPolicies(ns), o.NetworkingV1().NetworkPolicies(ns), applynetworking.NetworkPolicy("n", ns).WithLabels(applies), life[*networkingv1.NetworkPolicy]{
		made: &networkingv1.NetworkPolicy{ObjectMeta: named("n"), Spec: networkingv1.NetworkPolicySpec{
			PodSelector: *selector, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				From:  []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.1.0.0/16", Except: []string{"10.1.1.0/24"}}}},
				Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromInt32(80)), EndPort: ptr.To[int32](90)}},
			}},
		}},
		change: func(n *networkingv1.NetworkPolicy) { n.Spec.PodSelector = metav1.LabelSelector{} },
	})
	lives(ctx, c.NetworkingV1().IPAddresses(), o.NetworkingV1().IPAddresses(), applynetworking.IPAddress("192.0.2.9").WithLabels(applies), life[*networkingv1.IPAddress]{
		made: &networkingv1.IPAddress{ObjectMeta: named("192.0.2.9"), Spec: networkingv1.IPAddressSpec{
			ParentRef: &networkingv1.ParentReference{Resource: "services", Namespace: ns, Name: "s"},
		}},
		change: func(i *networkingv1.IPAddress) { i.Annotations = map[string]string{"changed": "yes"} },
	})
	lives(ctx, c.NetworkingV1().ServiceCIDRs(), o.NetworkingV1().ServiceCIDRs(), applynetworking.ServiceCIDR("more").WithLabels(applies), life[*networkingv1.ServiceCIDR]{
		made:   &networkingv1.ServiceCIDR{ObjectMeta: named("more"), Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{"192.0.2.0/24"}}},
		change: func(i *networkingv1.ServiceCIDR) { i.Annotations = map[string]string{"changed": "yes"} },
		status: func(i *networkingv1.ServiceCIDR) {
			i.Status.Conditions = []metav1.Condition{{Type: networkingv1.ServiceCIDRConditionReady, Status: metav1.ConditionTrue, Reason: "Tried", LastTransitionTime: i.CreationTimestamp}}
		},
	})
}

func discoveryKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.DiscoveryV1().EndpointSlices(ns), o.DiscoveryV1().EndpointSlices(ns), applydiscovery.EndpointSlice("e", ns).WithLabels(applies).WithAddressType(discoveryv1.AddressTypeIPv4), life[*discoveryv1.EndpointSlice]{
		made: &discoveryv1.EndpointSlice{
			ObjectMeta: named("e"), AddressType: discoveryv1.AddressTypeIPv4,
			Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"192.0.2.1"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}, Zone: ptr.To("z")}},
			Ports:     []discoveryv1.EndpointPort{{Name: ptr.To("http"), Port: ptr.To[int32](80), AppProtocol: ptr.To("kubernetes.io/h2c")}},
		},
		change: func(e *discoveryv1.EndpointSlice) { e.Endpoints[0].Conditions.Serving = ptr.To(false) },
	})
}

func schedulingKinds(ctx context.Context, _ string, c, o kubernetes.Interface) {
	lives(ctx, c.SchedulingV1().PriorityClasses(), o.SchedulingV1().PriorityClasses(), applyscheduling.PriorityClass("p").WithLabels(applies).WithValue(7), life[*schedulingv1.PriorityClass]{
		made:   &schedulingv1.PriorityClass{ObjectMeta: named("p"), Value: 7, PreemptionPolicy: ptr.To(corev1.PreemptNever)},
		change: func(p *schedulingv1.PriorityClass) { p.Description = "changed" },
	})
}

func nodeKinds(ctx context.Context, _ string, c, o kubernetes.Interface) {
	lives(ctx, c.NodeV1().RuntimeClasses(), o.NodeV1().RuntimeClasses(), applynode.RuntimeClass("r").WithLabels(applies).WithHandler("h"), life[*nodev1.RuntimeClass]{
		made: &nodev1.RuntimeClass{
			ObjectMeta: named("r"), Handler: "h",
			Overhead: &nodev1.Overhead{PodFixed: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}},
		},
		change: func(r *nodev1.RuntimeClass) {
			r.Scheduling = &nodev1.Scheduling{NodeSelector: map[string]string{"sandboxes": "yes"}}
		},
	})
}

func resourceKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	spec := resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
		Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpus", Selectors: []resourcev1.DeviceSelector{{
			CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "example.com"`},
		}}},
	}}}}
	lives(ctx, c.ResourceV1().DeviceClasses(), o.ResourceV1().DeviceClasses(), applyresource.DeviceClass("gpus").WithLabels(applies), life[*resourcev1.DeviceClass]{
		made: &resourcev1.DeviceClass{ObjectMeta: named("gpus")},
		change: func(d *resourcev1.DeviceClass) {
			d.Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.attributes["example.com"].model == "a"`}}}
		},
	})
	lives(ctx, c.ResourceV1().ResourceClaims(ns), o.ResourceV1().ResourceClaims(ns), applyresource.ResourceClaim("r", ns).WithLabels(applies), life[*resourcev1.ResourceClaim]{
		made:   &resourcev1.ResourceClaim{ObjectMeta: named("r"), Spec: spec},
		change: func(r *resourcev1.ResourceClaim) { r.Annotations = map[string]string{"changed": "yes"} },
		status: func(r *resourcev1.ResourceClaim) {
			r.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
				Results: []resourcev1.DeviceRequestAllocationResult{{Request: "gpu", Driver: "example.com", Pool: "p", Device: "d"}},
			}}
			r.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "p", UID: "1"}}
		},
	})
	lives(ctx, c.ResourceV1().ResourceClaimTemplates(ns), o.ResourceV1().ResourceClaimTemplates(ns), applyresource.ResourceClaimTemplate("r", ns).WithLabels(applies), life[*resourcev1.ResourceClaimTemplate]{
		made:   &resourcev1.ResourceClaimTemplate{ObjectMeta: named("r"), Spec: resourcev1.ResourceClaimTemplateSpec{Spec: spec}},
		change: func(r *resourcev1.ResourceClaimTemplate) { r.Annotations = map[string]string{"changed": "yes"} },
	})
	lives(ctx, c.ResourceV1().ResourceSlices(), o.ResourceV1().ResourceSlices(), applyresource.ResourceSlice("r").WithLabels(applies), life[*resourcev1.ResourceSlice]{
		made: &resourcev1.ResourceSlice{ObjectMeta: named("r"), Spec: resourcev1.ResourceSliceSpec{
			Driver: "example.com", NodeName: ptr.To("n"), Pool: resourcev1.ResourcePool{Name: "p", ResourceSliceCount: 1},
			Devices: []resourcev1.Device{{
				Name:       "d",
				Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: ptr.To("a")}, "count": {IntValue: ptr.To[int64](3)}},
				Capacity:   map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("8Gi")}},
			}},
		}},
		change: func(r *resourcev1.ResourceSlice) { r.Spec.Pool.Generation = 1 },
	})
}

func storageKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.StorageV1().CSIDrivers(), o.StorageV1().CSIDrivers(), applystorage.CSIDriver("d.example.com").WithLabels(applies), life[*storagev1.CSIDriver]{
		made:   &storagev1.CSIDriver{ObjectMeta: named("d.example.com"), Spec: storagev1.CSIDriverSpec{TokenRequests: []storagev1.TokenRequest{{Audience: "a"}}}},
		change: func(d *storagev1.CSIDriver) { d.Spec.RequiresRepublish = ptr.To(true) },
	})
	lives(ctx, c.StorageV1().CSINodes(), o.StorageV1().CSINodes(), applystorage.CSINode("n").WithLabels(applies), life[*storagev1.CSINode]{
		made: &storagev1.CSINode{ObjectMeta: named("n"), Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{}}},
		change: func(n *storagev1.CSINode) {
			n.Spec.Drivers = []storagev1.CSINodeDriver{{Name: "d.example.com", NodeID: "n", TopologyKeys: []string{"zone"}, Allocatable: &storagev1.VolumeNodeResources{Count: ptr.To[int32](4)}}}
		},
	})
	lives(ctx, c.StorageV1().CSIStorageCapacities(ns), o.StorageV1().CSIStorageCapacities(ns), applystorage.CSIStorageCapacity("c", ns).WithLabels(applies).WithStorageClassName("s"), life[*storagev1.CSIStorageCapacity]{
		made:   &storagev1.CSIStorageCapacity{ObjectMeta: named("c"), StorageClassName: "s", NodeTopology: selector},
		change: func(c *storagev1.CSIStorageCapacity) { c.Capacity = ptr.To(resource.MustParse("1Ti")) },
	})
	lives(ctx, c.StorageV1().VolumeAttributesClasses(), o.StorageV1().VolumeAttributesClasses(), applystorage.VolumeAttributesClass("v").WithLabels(applies).WithDriverName("d.example.com"), life[*storagev1.VolumeAttributesClass]{
		made:   &storagev1.VolumeAttributesClass{ObjectMeta: named("v"), DriverName: "d.example.com", Parameters: map[string]string{"iops": "3"}},
		change: func(v *storagev1.VolumeAttributesClass) { v.Annotations = map[string]string{"changed": "yes"} },
	})
}

func coordinationKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.CoordinationV1().Leases(ns), o.CoordinationV1().Leases(ns), applycoordination.Lease("l", ns).WithLabels(applies), life[*coordinationv1.Lease]{
		made:   &coordinationv1.Lease{ObjectMeta: named("l"), Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("a"), RenewTime: ptr.To(metav1.NowMicro())}},
		change: func(l *coordinationv1.Lease) { l.Spec.LeaseDurationSeconds = ptr.To[int32](15) },
	})
}

func podKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	template := podOf(corev1.RestartPolicyAlways)
	lives(ctx, c.CoreV1().Pods(ns), o.CoreV1().Pods(ns), applycore.Pod("p", ns).WithLabels(applies), life[*corev1.Pod]{
		made:   &corev1.Pod{ObjectMeta: named("p"), Spec: template.Spec},
		change: func(p *corev1.Pod) { p.Spec.Containers[0].Image = "i:2" },
		status: func(p *corev1.Pod) {
			p.Status.Phase, p.Status.PodIP, p.Status.PodIPs = corev1.PodRunning, "192.0.2.1", []corev1.PodIP{{IP: "192.0.2.1"}}
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{
				Name: "c", Image: "i:2", ImageID: "i", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: p.CreationTimestamp}},
			}}
		},
	})
	lives(ctx, c.CoreV1().PodTemplates(ns), o.CoreV1().PodTemplates(ns), applycore.PodTemplate("p", ns).WithLabels(applies), life[*corev1.PodTemplate]{
		made:   &corev1.PodTemplate{ObjectMeta: named("p"), Template: template},
		change: func(p *corev1.PodTemplate) { p.Template.Spec.Containers[0].Image = "i:2" },
	})
	lives(ctx, c.CoreV1().ReplicationControllers(ns), o.CoreV1().ReplicationControllers(ns), applycore.ReplicationController("r", ns).WithLabels(applies), life[*corev1.ReplicationController]{
		made:   &corev1.ReplicationController{ObjectMeta: named("r"), Spec: corev1.ReplicationControllerSpec{Selector: labels1, Template: &template}},
		change: func(r *corev1.ReplicationController) { r.Spec.Replicas = ptr.To(replicas) },
		status: func(r *corev1.ReplicationController) { r.Status.Replicas, r.Status.ReadyReplicas = replicas, 1 },
	})
}

func serviceKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.CoreV1().Services(ns), o.CoreV1().Services(ns), applycore.Service("s", ns).WithLabels(applies), life[*corev1.Service]{
		made: &corev1.Service{ObjectMeta: named("s"), Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: labels1,
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}, {Name: "dns", Port: 53, Protocol: corev1.ProtocolUDP}},
		}},
		change: func(s *corev1.Service) {
			s.Spec.SessionAffinity, s.Spec.ExternalTrafficPolicy = corev1.ServiceAffinityClientIP, corev1.ServiceExternalTrafficPolicyLocal
		},
		status: func(s *corev1.Service) {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1", IPMode: ptr.To(corev1.LoadBalancerIPModeVIP)}}
		},
	})
	lives(ctx, c.CoreV1().Endpoints(ns), o.CoreV1().Endpoints(ns), applycore.Endpoints("e", ns).WithLabels(applies), life[*corev1.Endpoints]{
		made: &corev1.Endpoints{ObjectMeta: named("e"), Subsets: []corev1.EndpointSubset{{
			Addresses: []corev1.EndpointAddress{{IP: "192.0.2.1", NodeName: ptr.To("n")}}, Ports: []corev1.EndpointPort{{Port: 80, Protocol: corev1.ProtocolTCP}},
		}}},
		change: func(e *corev1.Endpoints) {
			e.Subsets[0].NotReadyAddresses = []corev1.EndpointAddress{{IP: "192.0.2.2"}}
		},
	})
}

func namespaceKinds(ctx context.Context, ns string, c, o kubernetes.Interface) {
	lives(ctx, c.CoreV1().LimitRanges(ns), o.CoreV1().LimitRanges(ns), applycore.LimitRange("l", ns).WithLabels(applies), life[*corev1.LimitRange]{
		made: &corev1.LimitRange{ObjectMeta: named("l"), Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
		}}}},
		change: func(l *corev1.LimitRange) {
			l.Spec.Limits[0].Min = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}
		},
	})
	hard := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10"), "count/deployments.apps": resource.MustParse("3")}
	lives(ctx, c.CoreV1().ResourceQuotas(ns), o.CoreV1().ResourceQuotas(ns), applycore.ResourceQuota("q", ns).WithLabels(applies), life[*corev1.ResourceQuota]{
		made:   &corev1.ResourceQuota{ObjectMeta: named("q"), Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("9")}}},
		change: func(q *corev1.ResourceQuota) { q.Spec.Hard = hard },
		status: func(q *corev1.ResourceQuota) { q.Status.Hard, q.Status.Used = hard, hard },
	})
	lives(ctx, c.CoreV1().ServiceAccounts(ns), o.CoreV1().ServiceAccounts(ns), applycore.ServiceAccount("a", ns).WithLabels(applies), life[*corev1.ServiceAccount]{
		made:   &corev1.ServiceAccount{ObjectMeta: named("a"), ImagePullSecrets: []corev1.LocalObjectReference{{Name: "s"}}},
		change: func(a *corev1.ServiceAccount) { a.AutomountServiceAccountToken = ptr.To(false) },
	})
}

func clusterKinds(ctx context.Context, _ string, c, o kubernetes.Interface) {
	lives(ctx, c.CoreV1().Nodes(), o.CoreV1().Nodes(), applycore.Node("n").WithLabels(applies), life[*corev1.Node]{
		made: &corev1.Node{ObjectMeta: named("n"), Spec: corev1.NodeSpec{PodCIDR: "10.2.0.0/24", PodCIDRs: []string{"10.2.0.0/24"}}},
		change: func(n *corev1.Node) {
			n.Spec.Unschedulable = true
			n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}
		},
		status: func(n *corev1.Node) {
			n.Status.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")}
			n.Status.Allocatable = n.Status.Capacity
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: n.CreationTimestamp, LastTransitionTime: n.CreationTimestamp}}
			n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.7"}}
		},
	})
}
