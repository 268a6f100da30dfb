package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applyscaling "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// ways does what typed clients have beside the usual verbs.
func ways(s *session) {
	withFormats(s, func(format string, clients, _ kubernetes.Interface) {
		for _, one := range []struct {
			name string
			try  func(context.Context, kubernetes.Interface, string)
		}{
			{"scales are read, updated and applied", scaling},
			{"a Pod is bound to a node, once", bindingOnce},
			{"a Pod is given a container to look into it", ephemeral},
			{"a Pod is resized", resizing},
			{"a Pod is evicted as its budget allows", evicting},
			{"a Service has an address and a port of each node of its own", addressing},
			{"a quota counts, and names what it counts", counting},
			{"an account is given a token", accounting},
			{"two managers apply one Deployment, and its status", applyingTogether},
		} {
			s.check(one.name+", "+format, func(ctx context.Context) { one.try(ctx, clients, s.namespace) })
		}
	})
}

// scaled is what the client of a kind with a scale has.
type scaled interface {
	GetScale(context.Context, string, metav1.GetOptions) (*autoscalingv1.Scale, error)
	UpdateScale(context.Context, string, *autoscalingv1.Scale, metav1.UpdateOptions) (*autoscalingv1.Scale, error)
}

// appliedScale is what the clients of newer kinds have beside that.
type appliedScale interface {
	ApplyScale(context.Context, string, *applyscaling.ScaleApplyConfiguration, metav1.ApplyOptions) (*autoscalingv1.Scale, error)
}

func scaling(ctx context.Context, clients kubernetes.Interface, namespace string) {
	template := podOf(corev1.RestartPolicyAlways)
	deployments, sets := clients.AppsV1().Deployments(namespace), clients.AppsV1().StatefulSets(namespace)
	replicaSets, controllers := clients.AppsV1().ReplicaSets(namespace), clients.CoreV1().ReplicationControllers(namespace)
	value(deployments.Create(ctx, &appsv1.Deployment{ObjectMeta: named("scaled"), Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}}, metav1.CreateOptions{}))
	value(sets.Create(ctx, &appsv1.StatefulSet{ObjectMeta: named("scaled"), Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}}, metav1.CreateOptions{}))
	value(replicaSets.Create(ctx, &appsv1.ReplicaSet{ObjectMeta: named("scaled"), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template}}, metav1.CreateOptions{}))
	value(controllers.Create(ctx, &corev1.ReplicationController{ObjectMeta: named("scaled"), Spec: corev1.ReplicationControllerSpec{Template: &template}}, metav1.CreateOptions{}))
	for _, one := range []struct {
		client   scaled
		replicas func() *int32
		remove   func(context.Context, string, metav1.DeleteOptions) error
	}{
		{deployments, func() *int32 { return value(deployments.Get(ctx, "scaled", metav1.GetOptions{})).Spec.Replicas }, deployments.Delete},
		{sets, func() *int32 { return value(sets.Get(ctx, "scaled", metav1.GetOptions{})).Spec.Replicas }, sets.Delete},
		{replicaSets, func() *int32 { return value(replicaSets.Get(ctx, "scaled", metav1.GetOptions{})).Spec.Replicas }, replicaSets.Delete},
		{controllers, func() *int32 { return value(controllers.Get(ctx, "scaled", metav1.GetOptions{})).Spec.Replicas }, controllers.Delete},
	} {
		scale := value(one.client.GetScale(ctx, "scaled", metav1.GetOptions{}))
		same("the replicas", scale.Spec.Replicas, 1)
		same("the selector", scale.Status.Selector, "app=a")
		stale := scale.DeepCopy()
		scale.Spec.Replicas = 5
		scale = value(one.client.UpdateScale(ctx, "scaled", scale, metav1.UpdateOptions{}))
		same("the replicas that are answered", scale.Spec.Replicas, 5)
		same("the replicas of the object", *one.replicas(), 5)
		_, err := one.client.UpdateScale(ctx, "scaled", stale, metav1.UpdateOptions{})
		refused("a stale scale", err, errors.IsConflict)
		if newer, is := one.client.(appliedScale); is {
			seven := applyscaling.Scale().WithName("scaled").WithNamespace(namespace).WithSpec(applyscaling.ScaleSpec().WithReplicas(7))
			_, err := newer.ApplyScale(ctx, "scaled", seven, metav1.ApplyOptions{FieldManager: "scaler"})
			refused("what another has said", err, errors.IsConflict)
			value(newer.ApplyScale(ctx, "scaled", seven, metav1.ApplyOptions{FieldManager: "scaler", Force: true}))
			same("the replicas that were applied", *one.replicas(), 7)
		}
		must(one.remove(ctx, "scaled", metav1.DeleteOptions{}))
	}
}

// runningPod makes a Pod of a node, and says of it that it runs.
func runningPod(ctx context.Context, clients kubernetes.Interface, namespace, name string) *corev1.Pod {
	pods := clients.CoreV1().Pods(namespace)
	template := podOf(corev1.RestartPolicyAlways)
	template.Spec.NodeName = "n"
	made := value(pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels1}, Spec: template.Spec}, metav1.CreateOptions{}))
	made.Status.Phase = corev1.PodRunning
	made.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return value(pods.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
}

var atOnce = metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}

func bindingOnce(ctx context.Context, clients kubernetes.Interface, namespace string) {
	pods := clients.CoreV1().Pods(namespace)
	made := value(pods.Create(ctx, &corev1.Pod{ObjectMeta: named("bound"), Spec: podOf(corev1.RestartPolicyAlways).Spec}, metav1.CreateOptions{}))
	to := func(node string) *corev1.Binding {
		return &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: "bound", Namespace: namespace, UID: made.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: node},
		}
	}
	must(pods.Bind(ctx, to("n"), metav1.CreateOptions{}))
	got := value(pods.Get(ctx, "bound", metav1.GetOptions{}))
	same("the node", got.Spec.NodeName, "n")
	same("the condition", got.Status.Conditions[0].Type, corev1.PodScheduled)
	same("its status", got.Status.Conditions[0].Status, corev1.ConditionTrue)
	refused("a second node", pods.Bind(ctx, to("m"), metav1.CreateOptions{}), errors.IsConflict)
	must(pods.Delete(ctx, "bound", atOnce))
}

func ephemeral(ctx context.Context, clients kubernetes.Interface, namespace string) {
	pods := clients.CoreV1().Pods(namespace)
	pod := runningPod(ctx, clients, namespace, "looked-into")
	pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debugger", Image: "i", Stdin: true, TTY: true}, TargetContainerName: "c",
	}}
	_, err := pods.Update(ctx, pod, metav1.UpdateOptions{})
	refused("an update that adds one", err, errors.IsInvalid)
	got := value(pods.UpdateEphemeralContainers(ctx, pod.Name, pod, metav1.UpdateOptions{}))
	same("the container", got.Spec.EphemeralContainers[0].Name, "debugger")
	same("its target", got.Spec.EphemeralContainers[0].TargetContainerName, "c")
	must(pods.Delete(ctx, pod.Name, atOnce))
}

func resizing(ctx context.Context, clients kubernetes.Interface, namespace string) {
	pods := clients.CoreV1().Pods(namespace)
	pod := runningPod(ctx, clients, namespace, "resized")
	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("200m")
	_, err := pods.Update(ctx, pod, metav1.UpdateOptions{})
	refused("an update that resizes", err, errors.IsInvalid)
	got := value(pods.UpdateResize(ctx, pod.Name, pod, metav1.UpdateOptions{}))
	same("the request", got.Spec.Containers[0].Resources.Requests.Cpu().String(), "200m")
	same("the generation", got.Generation, 2)
	must(pods.Delete(ctx, pod.Name, atOnce))
}

func evicting(ctx context.Context, clients kubernetes.Interface, namespace string) {
	pods, budgets := clients.CoreV1().Pods(namespace), clients.PolicyV1().PodDisruptionBudgets(namespace)
	budget := value(budgets.Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: named("budget"), Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector, MinAvailable: ptr.To(intstr.FromInt32(1))},
	}, metav1.CreateOptions{}))
	allowing := func(count int32) {
		must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
			newest := value(budgets.Get(ctx, budget.Name, metav1.GetOptions{}))
			newest.Status = policyv1.PodDisruptionBudgetStatus{
				ObservedGeneration: newest.Generation, DisruptionsAllowed: count, CurrentHealthy: 1 + count, DesiredHealthy: 1, ExpectedPods: 2,
			}
			_, err := budgets.UpdateStatus(ctx, newest, metav1.UpdateOptions{})
			return err
		}))
	}
	pod := runningPod(ctx, clients, namespace, "evicted")
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: namespace}, DeleteOptions: &atOnce}
	allowing(0)
	err := pods.EvictV1(ctx, eviction)
	refused("an eviction beyond the budget", err, errors.IsTooManyRequests)
	holds("the cause to be the budget", errors.HasStatusCause(err, policyv1.DisruptionBudgetCause))
	allowing(1)
	must(clients.PolicyV1().Evictions(namespace).Evict(ctx, eviction))
	eventually(ctx, "the Pod is gone", func() bool {
		_, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		return errors.IsNotFound(err)
	})
	spent := value(budgets.Get(ctx, budget.Name, metav1.GetOptions{}))
	same("what is still allowed", spent.Status.DisruptionsAllowed, 0)
	_, told := spent.Status.DisruptedPods[pod.Name]
	holds("the Pod among the disrupted", told)
	must(budgets.Delete(ctx, budget.Name, metav1.DeleteOptions{}))
}

func addressing(ctx context.Context, clients kubernetes.Interface, namespace string) {
	services := clients.CoreV1().Services(namespace)
	make := func(name string) *corev1.Service {
		return value(services.Create(ctx, &corev1.Service{ObjectMeta: named(name), Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80}},
		}}, metav1.CreateOptions{}))
	}
	one, two := make("one"), make("two")
	holds("addresses", one.Spec.ClusterIP != "" && two.Spec.ClusterIP != "")
	holds("each its own", one.Spec.ClusterIP != two.Spec.ClusterIP)
	holds("ports of nodes", one.Spec.Ports[0].NodePort != 0 && two.Spec.Ports[0].NodePort != 0)
	holds("each its own", one.Spec.Ports[0].NodePort != two.Spec.Ports[0].NodePort)
	taken := &corev1.Service{ObjectMeta: named("three"), Spec: corev1.ServiceSpec{ClusterIP: one.Spec.ClusterIP, Ports: []corev1.ServicePort{{Port: 80}}}}
	_, err := services.Create(ctx, taken, metav1.CreateOptions{})
	refused("an address that is taken", err, errors.IsInvalid)
	for _, service := range []*corev1.Service{one, two} {
		must(services.Delete(ctx, service.Name, metav1.DeleteOptions{}))
	}
	same("the address that was given back", value(services.Create(ctx, taken, metav1.CreateOptions{})).Spec.ClusterIP, one.Spec.ClusterIP)
	must(services.Delete(ctx, "three", metav1.DeleteOptions{}))
}

func counting(ctx context.Context, clients kubernetes.Interface, namespace string) {
	quotas, deployments := clients.CoreV1().ResourceQuotas(namespace), clients.AppsV1().Deployments(namespace)
	deployment := &appsv1.Deployment{ObjectMeta: named("counted"), Spec: appsv1.DeploymentSpec{Selector: selector, Template: podOf(corev1.RestartPolicyAlways)}}
	value(deployments.Create(ctx, deployment, metav1.CreateOptions{}))
	value(quotas.Create(ctx, &corev1.ResourceQuota{ObjectMeta: named("counts"), Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{"count/deployments.apps": resource.MustParse("1")},
	}}, metav1.CreateOptions{}))
	eventually(ctx, "the Deployment is counted", func() bool {
		used := value(quotas.Get(ctx, "counts", metav1.GetOptions{})).Status.Used["count/deployments.apps"]
		return used.String() == "1"
	})
	deployment.Name = "beyond"
	_, err := deployments.Create(ctx, deployment, metav1.CreateOptions{})
	refused("one beyond the quota", err, errors.IsForbidden)
	must(quotas.Delete(ctx, "counts", metav1.DeleteOptions{}))
	must(deployments.Delete(ctx, "counted", metav1.DeleteOptions{}))
}

func accounting(ctx context.Context, clients kubernetes.Interface, namespace string) {
	accounts := clients.CoreV1().ServiceAccounts(namespace)
	value(accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: named("robot")}, metav1.CreateOptions{}))
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](600)}}
	got := value(accounts.CreateToken(ctx, "robot", request, metav1.CreateOptions{}))
	holds("a token", got.Status.Token != "")
	holds("a time of its end", !got.Status.ExpirationTimestamp.IsZero())
	must(accounts.Delete(ctx, "robot", metav1.DeleteOptions{}))
}

func applyingTogether(ctx context.Context, clients kubernetes.Interface, namespace string) {
	deployments := clients.AppsV1().Deployments(namespace)
	of := func(containers ...*applycore.ContainerApplyConfiguration) *applyapps.DeploymentApplyConfiguration {
		return applyapps.Deployment("shared", namespace).WithSpec(applyapps.DeploymentSpec().
			WithSelector(applymeta.LabelSelector().WithMatchLabels(labels1)).
			WithTemplate(applycore.PodTemplateSpec().WithLabels(labels1).WithSpec(applycore.PodSpec().WithContainers(containers...))))
	}
	one, two := metav1.ApplyOptions{FieldManager: "one"}, metav1.ApplyOptions{FieldManager: "two"}
	port := applycore.ContainerPort().WithContainerPort(80)
	value(deployments.Apply(ctx, of(applycore.Container().WithName("a").WithImage("i:1").WithPorts(port)), one))
	both := value(deployments.Apply(ctx, of(applycore.Container().WithName("b").WithImage("i:1")), two))
	same("the number of containers", len(both.Spec.Template.Spec.Containers), 2)
	_, err := deployments.Apply(ctx, of(applycore.Container().WithName("a").WithImage("i:2")), two)
	refused("another's image", err, errors.IsConflict)
	mine := value(applyapps.ExtractDeployment(both, "one"))
	same("the containers of one", len(mine.Spec.Template.Spec.Containers), 1)
	same("its port", *mine.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort, 80)

	told := value(deployments.ApplyStatus(ctx, applyapps.Deployment("shared", namespace).WithStatus(applyapps.DeploymentStatus().
		WithReplicas(2).WithConditions(applyapps.DeploymentCondition().WithType(appsv1.DeploymentProgressing).WithStatus(corev1.ConditionTrue))), one))
	same("the replicas of the status", told.Status.Replicas, 2)
	same("the condition", told.Status.Conditions[0].Type, appsv1.DeploymentProgressing)
	left := value(deployments.Apply(ctx, applyapps.Deployment("shared", namespace), two))
	same("the containers when two has given up its own", len(left.Spec.Template.Spec.Containers), 1)
	must(deployments.Delete(ctx, "shared", metav1.DeleteOptions{}))
}
