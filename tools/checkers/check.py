"""Holds generated install files against the tools that read them; prints what is wrong and fails then.

check.py FOLDER: every folder in it is one install, with its files and `install.json`: platform, account, manager,
name, tags, description, token (outer form), secret (whether the token is kept elsewhere).
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import hcl2
import jsonschema
import kubernetes_validate
import yaml
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

HERE = pathlib.Path(__file__).parent
HELM = json.loads((HERE / "helm-values.schema.json").read_text())
ECS = ServiceModel(Loader().load_service_model("ecs", "service-2"))
SHIM = '#!/bin/sh\nfor word in "$@"; do printf \'%s\\0\' "$word"; done >>"$RECORD"\nprintf \'\\036\' >>"$RECORD"\n'


class Wrong(Exception):
    """What is wrong with a file."""


def same(what, found, expected):
    if found != expected:
        raise Wrong(f"{what} is {found!r}, not {expected!r}")


def inner(install):
    return base64.b64decode(install["token"]).decode()


def classic(install, kind, token):
    """Variables of a classic delegate that tell who it is (product 16.1)."""
    return {
        "ACCOUNT_ID": install["account"],
        "DELEGATE_TOKEN": token,
        "MANAGER_HOST_AND_PORT": install["manager"],
        "DELEGATE_NAME": install["name"],
        "DELEGATE_TYPE": kind,
        "DELEGATE_TAGS": ",".join(install["tags"]),
        "DELEGATE_DESCRIPTION": install["description"],
        "NEXT_GEN": "true",
    }


def runner(install, token, kubernetes):
    """Variables of a Delegate 3.x (product 16.6)."""
    names = (
        ["HARNESS_DELEGATE_TOKEN", "HARNESS_MANAGER_HOST_AND_PORT", "HARNESS_DELEGATE_NAME", "HARNESS_DELEGATE_TAGS"]
        if kubernetes
        else ["HARNESS_TOKEN", "HARNESS_URL", "HARNESS_NAME", "HARNESS_TAGS"]
    )
    values = [token, install["manager"], install["name"], ",".join(install["tags"])]
    return {"HARNESS_ACCOUNT_ID": install["account"], **dict(zip(names, values))}


def holds(environment, expected, whole):
    for name, value in expected.items():
        same(name, environment.get(name), value)
    if whole:
        same("the variables", sorted(environment), sorted(expected))


def manifest(text, install):
    objects = list(yaml.safe_load_all(text))
    for part in objects:
        kubernetes_validate.validate(part, "1.31", strict=True)
    kinds = [part["kind"] for part in objects]
    for part in objects:
        if part["kind"] not in ("Namespace", "ClusterRoleBinding"):
            same(f"namespace of {part['kind']}", part["metadata"]["namespace"], objects[0]["metadata"]["name"])
    secrets = {part["metadata"]["name"]: part["data"] for part in objects if part["kind"] == "Secret"}
    pod = objects[kinds.index("Deployment")]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    environment = {entry["name"]: entry["value"] for entry in container["env"]}
    for source in container["envFrom"]:
        for name, value in secrets[source["secretRef"]["name"]].items():
            environment[name] = base64.b64decode(value).decode()
    if install["platform"] == "kubernetes":
        holds(environment, classic(install, "KUBERNETES", inner(install)), False)
    else:
        holds(environment, runner(install, inner(install), True), True)
    for part in objects:
        if part["kind"] == "ConfigMap":
            config = yaml.safe_load(part["data"]["config.yaml"])
            same("workload", config["workloadName"], install["name"])
            same("delegateConfig", config["delegateConfig"], {"accountId": install["account"], "managerHost": install["manager"]})


def values(text, install):
    found = yaml.safe_load(text)
    jsonschema.validate(found, HELM)
    chart(found, install)
    same("token", found["delegateToken"], install["token"])
    same("account", found["accountId"], install["account"])


def chart(found, install):
    same("tags", found["tags"], ",".join(install["tags"]))
    same("description", found["description"], install["description"])


def terraform(text, install):
    [module] = hcl2.loads(text)["module"][0].values()
    # Literals come back as they are written.
    read = lambda name: json.loads(module[name].replace("$${", "${").replace("%%{", "%{"))
    same("account", read("account_id"), install["account"])
    same("token", read("delegate_token"), install["token"])
    same("name", read("delegate_name"), install["name"])
    same("manager", read("manager_endpoint"), install["manager"])
    if not module["values"].startswith("${yamlencode("):
        raise Wrong(f"the values are {module['values']!r}")


def task(text, install):
    found = json.loads(text)
    shape(found, "RegisterTaskDefinition")
    [container] = found["containerDefinitions"]
    environment = {entry["name"]: entry["value"] for entry in container["environment"]}
    token = None if install["secret"] else install["token"]
    if install["platform"].startswith("3x"):
        expected, name = runner(install, token, False), "HARNESS_TOKEN"
    else:
        expected, name = classic(install, "DOCKER", token), "DELEGATE_TOKEN"
    if install["secret"]:
        if name in environment or install["token"] in text:
            raise Wrong("the token stands in the file although a secret holds it")
        same("secrets", [entry["name"] for entry in container["secrets"]], [name])
        del expected[name]
    holds(environment, expected, False)


def service(text, install):
    shape(json.loads(text), "CreateService")


def shape(found, operation):
    report = ParamValidator().validate(found, ECS.operation_model(operation).input_shape)
    if report.has_errors():
        raise Wrong(report.generate_report())


def recorded(script, program):
    """The commands that a script runs, each as its words; `program` is replaced by one that notes them."""
    with tempfile.TemporaryDirectory() as folder:
        shim = pathlib.Path(folder, program)
        shim.write_text(SHIM)
        shim.chmod(0o755)
        record = pathlib.Path(folder, "record")
        record.touch()
        pathlib.Path(folder, "script").write_text(script)
        environment = {"PATH": f"{folder}:{os.environ['PATH']}", "RECORD": str(record)}
        subprocess.run(["bash", "script"], cwd=folder, env=environment, check=True, timeout=60)
        commands = record.read_bytes().decode().split("\x1e")[:-1]
        return [command.split("\0")[:-1] for command in commands]


def docker(text, install):
    commands = recorded(text, "docker")
    if not 1 <= len(commands) <= 2:
        raise Wrong(f"{len(commands)} commands")
    found = []
    for words in commands:
        same("the command", words[:2], ["run", "--detach"])
        rest, environment = words[2:-1], {}
        while rest:
            word = rest.pop(0)
            if word == "--env":
                name, _, value = rest.pop(0).partition("=")
                environment[name] = value
            elif not word.startswith("--"):
                raise Wrong(f"the stray word {word!r}")
        found.append((words, environment))
    words, environment = found[0]
    holds(environment, classic(install, "DOCKER", install["token"]), False)
    same("its name", [word for word in words if word.startswith("--name=")], [f"--name={install['name']}"])
    for words, environment in found[1:]:
        holds(
            environment,
            {
                "ACCOUNT_ID": install["account"],
                "MANAGER_HOST_AND_PORT": install["manager"],
                "UPGRADER_WORKLOAD_NAME": install["name"],
                "UPGRADER_TOKEN": install["token"],
                "SCHEDULE": "0 */1 * * *",
            },
            True,
        )


def env_file(text, install):
    for line in text.splitlines():
        if line.count("=") == 0:
            raise Wrong(f"no variable: {line!r}")
    read = subprocess.run(
        ["bash", "-c", 'set -a; . "$0"; env -0', "/dev/stdin"],
        input=text.encode(),
        env={},
        capture_output=True,
        check=True,
        timeout=60,
    )
    environment = dict(entry.split("=", 1) for entry in read.stdout.decode().split("\0")[:-1])
    holds(environment, runner(install, install["token"], False), False)


def program(text, install):
    [words] = recorded(text, "delegate")
    same(
        "the command",
        words,
        ["install", "--account", install["account"], "--token", install["token"], "--url", install["manager"]]
        + ["--name", install["name"], "--tags", ",".join(install["tags"])],
    )


def machine(text, install):
    same(
        "the values",
        json.loads(text),
        {
            "accountId": install["account"],
            "managerUrl": install["manager"],
            "token": inner(install),
            "name": install["name"],
            "tags": install["tags"],
        },
    )


def texts(text, install):
    """A document that holds the same hostile texts in YAML and, behind the mark, in JSON."""
    found, expected = text.split("\n---8<---\n")
    same("the texts", yaml.safe_load(found), json.loads(expected))


CHECKS = {
    "harness-delegate.yml": manifest,
    "values.yaml": values,
    "main.tf": terraform,
    "task-definition.json": task,
    "service.json": service,
    "docker-run.sh": docker,
    "delegate.env": env_file,
    "install.sh": program,
    "delegate-values.json": machine,
    "texts": texts,
}


def main(folder):
    wrong, files = 0, 0
    for case in sorted(pathlib.Path(folder).iterdir()):
        install = json.loads((case / "install.json").read_text())
        for path in sorted(case.iterdir()):
            if path.name == "install.json":
                continue
            files += 1
            try:
                CHECKS[path.name](path.read_text(), install)
            except Exception as error:  # Each tool has errors of its own, and all of them are told.
                wrong += 1
                told = "\n".join(str(error).splitlines()[:6])
                print(f"{case.name}/{path.name}: {type(error).__name__}: {told}", file=sys.stderr)
    print(f"{files} files, {wrong} wrong")
    return 1 if wrong or not files else 0


sys.exit(main(sys.argv[1]))
