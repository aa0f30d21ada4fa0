-- What depends on what within Python: the edges that no change of C++ can move.
-- Their kinds and nodes are those of 80.

DELETE FROM edges WHERE kind_id IN (21, 22, 23, 24, 39, 44, 45, 55);

-- Calls between Python functions. What tests call is not walked through, only counted. What is looked up in a table
-- that decorators fill (5) is one of what they decorate; who calls what a decorator (6) wraps calls what that makes. What is
-- called on something that nobody knows the type of is perhaps one of the few methods of that name (7).
CREATE TEMP TABLE walked_functions AS
SELECT p.id, m.file_id
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE f.path NOT GLOB 'test/*' AND NOT EXISTS (SELECT 1 FROM tests AS t WHERE t.function_id = p.id);
CREATE UNIQUE INDEX temp.walked_functions_id ON walked_functions (id);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT coalesce(r.function_id * 16 + 4, r.class_id * 16 + 5, r.native_id * 16 + 6),
       c.caller_id * 16 + 4, CASE WHEN c.kind IN (0, 2) THEN 21 WHEN c.kind IN (5, 7) THEN 45 WHEN c.kind = 6 THEN 55 ELSE 22 END, w.file_id, c.line, 1
FROM python_calls AS c
JOIN temp.walked_functions AS w ON w.id = c.caller_id
JOIN python_resolutions AS r ON r.target_id = c.target_id
-- What is bound in C++ is mostly handed to tables and patterns, which call nothing.
WHERE c.kind <> 4 OR r.native_id IS NULL
   -- What a helper of Python makes is handed to what puts it into graphs: `graph.call_function(prims.rev, …)`.
   OR c.target_id IN (SELECT r.target_id FROM python_targets AS m
                      JOIN python_natives AS n ON n.name = substr(m.target, 1, length(m.target) - 1)
                      JOIN python_resolutions AS r ON r.native_id = n.id
                      -- Patterns name the overload.
                      JOIN python_targets AS t ON t.id = r.target_id AND t.target NOT GLOB '*.default'
                      WHERE m.target GLOB 'torch.ops.*=');

-- A class is what its main methods do, and what its bases are. `__call__` runs `forward`
-- (torch/nn/modules/module.py, Module._call_impl), and an optimizer is stepped. Nobody names what `with` runs, what
-- @dataclass has run after its `__init__`, and what a mode or a kind of tensor has run in an operator's place.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT p.id * 16 + 4, p.class_id * 16 + 5, 23, m.file_id, p.line, 0
FROM python_functions AS p
JOIN python_classes AS k ON k.id = p.class_id
JOIN python_modules AS m ON m.id = p.module_id
WHERE k.category <> 'test'
  AND substr(p.name, length(k.name) - length(m.name) + 1) IN (
      'forward', '__init__', '__call__', '__new__', 'step', '__enter__', '__exit__', '__post_init__', '__torch_dispatch__');

-- And what its bases' main methods run of it: `LRScheduler.step` calls the `get_lr` of the class that it is called on.
-- A call of a method of `self` names the class that it is written in: `torch.optim.lr_scheduler.LRScheduler().get_lr`.
CREATE TEMP TABLE own_calls AS
SELECT DISTINCT p.class_id, p.id AS caller_id, substr(t.target, length(k.name) + 4) AS name, r.function_id AS callee_id
FROM python_classes AS k
JOIN python_functions AS p ON p.class_id = k.id
JOIN python_calls AS c ON c.caller_id = p.id AND c.kind IN (0, 2)
JOIN python_targets AS t ON t.id = c.target_id AND substr(t.target, 1, length(k.name) + 3) = k.name || '().'
JOIN python_resolutions AS r ON r.target_id = t.id AND r.function_id IS NOT NULL
WHERE k.category IN ('nn', 'optim', 'lr_scheduler') AND instr(substr(t.target, length(k.name) + 4), '.') = 0;

WITH RECURSIVE running (class_id, function_id) AS (
    SELECT DISTINCT o.class_id, p.id
    FROM temp.own_calls AS o
    JOIN python_classes AS k ON k.id = o.class_id
    JOIN python_modules AS m ON m.id = k.module_id
    JOIN python_functions AS p ON p.class_id = k.id
    WHERE substr(p.name, length(k.name) - length(m.name) + 1) IN ('forward', '__call__', 'step')
    UNION
    SELECT o.class_id, o.callee_id
    FROM running AS r JOIN temp.own_calls AS o ON o.caller_id = r.function_id AND o.class_id = r.class_id
),
called (class_id, name) AS (
    SELECT DISTINCT o.class_id, o.name FROM running AS r JOIN temp.own_calls AS o ON o.caller_id = r.function_id
),
derived (base_id, class_id) AS (
    SELECT b.base_id, b.class_id FROM python_bases AS b WHERE b.base_id IN (SELECT class_id FROM called)
    UNION
    SELECT d.base_id, b.class_id FROM derived AS d JOIN python_bases AS b ON b.base_id = d.class_id
)
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT p.id * 16 + 4, k.id * 16 + 5, 23, m.file_id, p.line, 0
FROM called AS c
JOIN derived AS d ON d.base_id = c.class_id
JOIN python_classes AS k ON k.id = d.class_id
JOIN python_modules AS m ON m.id = k.module_id
JOIN python_functions AS p ON p.class_id = k.id AND p.name = substr(k.name, length(m.name) + 2) || '.' || c.name
WHERE k.category <> 'test';

DROP TABLE temp.own_calls;

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT b.base_id * 16 + 5, k.id * 16 + 5, 24, m.file_id, k.line, 1
FROM python_bases AS b
JOIN python_classes AS k ON k.id = b.class_id
JOIN python_modules AS m ON m.id = k.module_id
WHERE b.base_id IS NOT NULL AND k.category <> 'test';

-- A call of a method may run what overrides it in a class derived from its own. Only of what somebody calls, or may: of its
-- nearest base, and of those above it. Who runs main methods is known by the class; what makes an object is called
-- of the class that is made.
CREATE TEMP TABLE own_methods AS
SELECT p.id, p.class_id, substr(p.name, length(k.name) - length(m.name) + 1) AS name, p.name GLOB '*.__*__' AS is_special,
       m.file_id, p.line
FROM python_functions AS p
JOIN temp.walked_functions AS w ON w.id = p.id
JOIN python_classes AS k ON k.id = p.class_id AND k.category <> 'test'
JOIN python_modules AS m ON m.id = p.module_id
WHERE p.kind NOT IN ('overload', 'setter') AND p.name NOT GLOB '*.forward' AND p.name NOT GLOB '*.step'
  AND p.name NOT GLOB '*.__init__' AND p.name NOT GLOB '*.__new__' AND p.name NOT GLOB '*.__init_subclass__'
  AND p.name NOT GLOB '*.__post_init__';
CREATE INDEX temp.own_methods_name ON own_methods (class_id, name);

CREATE TEMP TABLE overriding AS
WITH RECURSIVE standing (class_id, base_id) AS MATERIALIZED (
    SELECT class_id, base_id FROM python_bases WHERE base_id IS NOT NULL
    UNION ALL
    SELECT class_id, base_id FROM python_conforming
    UNION ALL
    -- A class within a class stands for the one of its name in what that derives from: who asks for `cls.Worker` may
    -- get the heir's (torch/_dynamo/device_interface.py).
    SELECT heir.id, inner.id
    FROM python_classes AS inner
    JOIN python_modules AS m ON m.id = inner.module_id AND length(inner.name) > length(m.name) + length(inner.last) + 1
    CROSS JOIN python_classes AS outer ON outer.name = substr(inner.name, 1, length(inner.name) - length(inner.last) - 1)
    CROSS JOIN python_bases AS b ON b.base_id = outer.id
    CROSS JOIN python_classes AS k ON k.id = b.class_id
    CROSS JOIN python_classes AS heir ON heir.name = k.name || '.' || inner.last AND heir.category <> 'test'
),
above (class_id, base_id, depth) AS (
    SELECT class_id, base_id, 1 FROM standing
    UNION
    SELECT a.class_id, b.base_id, a.depth + 1
    FROM above AS a JOIN standing AS b ON b.class_id = a.base_id
    WHERE a.depth < 16
)
-- Of a method that two bases have as near to it: each.
SELECT DISTINCT id, base_id, is_special, file_id, line FROM (
    SELECT own.id, base.id AS base_id, own.is_special, own.file_id, own.line, a.depth, min(a.depth) OVER (PARTITION BY own.id) AS least
    FROM temp.own_methods AS own
    CROSS JOIN above AS a ON a.class_id = own.class_id
    JOIN temp.own_methods AS base ON base.class_id = a.base_id AND base.name = own.name AND base.id <> own.id
)
WHERE depth = least;

-- A class that derives from several looks through these in their order: of two that have a method it runs the first one's,
-- also where the other's is asked for, as `Operation.get_device` of what is a `Buffer`, too (torch/_inductor/ir.py).
WITH RECURSIVE mixed (class_id) AS (
    SELECT b.class_id FROM python_bases AS b JOIN python_classes AS k ON k.id = b.class_id AND k.category <> 'test'
    WHERE b.base_id IS NOT NULL GROUP BY b.class_id HAVING count(*) > 1
),
side (class_id, position, base_id, depth) AS (
    SELECT b.class_id, b.position, b.base_id, 1
    FROM mixed JOIN python_bases AS b ON b.class_id = mixed.class_id WHERE b.base_id IS NOT NULL
    UNION
    SELECT s.class_id, s.position, b.base_id, s.depth + 1
    FROM side AS s JOIN python_bases AS b ON b.class_id = s.base_id AND b.base_id IS NOT NULL
    WHERE s.depth < 16
),
nearest AS MATERIALIZED (
    SELECT s.class_id, s.position, own.name, own.id, own.class_id AS owner_id, own.is_special, own.file_id, own.line, min(s.depth)
    FROM side AS s JOIN temp.own_methods AS own ON own.class_id = s.base_id
    GROUP BY s.class_id, s.position, own.name
)
INSERT INTO temp.overriding
SELECT DISTINCT run.id, later.id, run.is_special, run.file_id, run.line
FROM nearest AS later
JOIN nearest AS first ON first.class_id = later.class_id AND first.name = later.name AND first.position < later.position
LEFT JOIN temp.own_methods AS own ON own.class_id = later.class_id AND own.name = later.name
JOIN temp.own_methods AS run ON run.id = coalesce(own.id, first.id)
WHERE first.id <> later.id
  -- Neither derives from the other's class: what does comes first, wherever it is named.
  AND NOT EXISTS (SELECT 1 FROM side AS s WHERE s.class_id = later.class_id AND s.position = later.position AND s.base_id = first.owner_id)
  AND NOT EXISTS (SELECT 1 FROM side AS s WHERE s.class_id = later.class_id AND s.position = first.position AND s.base_id = later.owner_id);
CREATE INDEX temp.overriding_base ON overriding (base_id);

WITH RECURSIVE run (id) AS (
    SELECT base_id FROM temp.overriding AS o
    WHERE NOT o.is_special
      AND (EXISTS (SELECT 1 FROM edges AS e WHERE e.target = o.base_id * 16 + 4 AND e.kind_id IN (21, 22, 45))
           -- Of a protocol they are called by texts, too: torch/_inductor/ir.py, ops_wrapper.
           OR EXISTS (SELECT 1 FROM python_functions AS p JOIN python_conforming AS c ON c.base_id = p.class_id
                      WHERE p.id = o.base_id))
    UNION
    SELECT o.id FROM run AS r JOIN temp.overriding AS o ON o.base_id = r.id
)
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT o.id * 16 + 4, o.base_id * 16 + 4, 44, o.file_id, o.line, 0
FROM run AS r JOIN temp.overriding AS o ON o.base_id = r.id;

-- A special method is looked up in the class of its object: `self.__setstate__(state)`, `op(x)`, `a == b`. Mostly it is
-- named of `super()`, or of a class, by what overrides it: that runs no other one. So here the caller leads to each, and
-- not the method of the base, whose other callers run none of these.
WITH RECURSIVE special (base_id, id) AS (
    SELECT base_id, id FROM temp.overriding WHERE is_special
    UNION
    SELECT s.base_id, o.id FROM special AS s JOIN temp.overriding AS o ON o.base_id = s.id
)
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT s.id * 16 + 4, c.caller_id * 16 + 4, 44, w.file_id, c.line, 1
FROM special AS s
CROSS JOIN python_resolutions AS r ON r.function_id = s.base_id
CROSS JOIN python_targets AS t ON t.id = r.target_id AND instr(t.target, '(') AND t.target NOT GLOB 'super(*'
CROSS JOIN python_calls AS c ON c.target_id = t.id AND c.kind IN (0, 2) AND c.caller_id <> s.id
CROSS JOIN temp.walked_functions AS w ON w.id = c.caller_id;

DROP TABLE temp.own_methods;
DROP TABLE temp.overriding;

-- Who runs the `forward` of an autograd function has it differentiated by the `backward` of the same
-- class; the resolver has `apply` end at `forward` (torch/autograd/function.py, _SingleLevelFunction).
CREATE TEMP TABLE differentiable AS
WITH RECURSIVE deriving (class_id) AS (
    SELECT k.id
    FROM python_classes AS k
    JOIN python_modules AS m ON m.id = k.module_id
    WHERE m.name = 'torch.autograd.function' AND k.name = 'torch.autograd.function.Function'
    UNION
    SELECT b.class_id FROM deriving AS d JOIN python_bases AS b ON b.base_id = d.class_id
)
SELECT class_id FROM deriving;

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT run.id * 16 + 4, forward.id * 16 + 4, CASE related.value WHEN 'setup_context' THEN 21 ELSE 39 END, m.file_id, run.line, 1
FROM temp.differentiable AS d
JOIN python_classes AS k ON k.id = d.class_id
JOIN python_modules AS m ON m.id = k.module_id
JOIN python_functions AS forward
  ON forward.class_id = k.id AND m.name || '.' || forward.name = k.name || '.forward'
JOIN json_each('["backward", "vjp", "jvp", "setup_context"]') AS related
JOIN python_functions AS run
  ON run.class_id = k.id AND m.name || '.' || run.name = k.name || '.' || related.value
JOIN temp.walked_functions AS w ON w.id = run.id;

-- So `apply` itself is left out of what operators are found by, as what it does beyond is for functorch's transforms.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT run.id * 16 + 4, c.caller_id * 16 + 4, 21, w.file_id, c.line, 1
FROM temp.differentiable AS d
CROSS JOIN python_functions AS forward ON forward.class_id = d.class_id AND forward.name GLOB '*.forward'
CROSS JOIN python_resolutions AS r ON r.function_id = forward.id
CROSS JOIN python_targets AS t ON t.id = r.target_id AND t.target GLOB '*.apply'
CROSS JOIN python_calls AS c ON c.target_id = t.id AND c.kind IN (0, 2)
CROSS JOIN temp.walked_functions AS w ON w.id = c.caller_id
JOIN python_modules AS m ON m.name = 'torch.autograd.function'
JOIN python_functions AS run ON run.module_id = m.id AND run.name = 'Function.apply' AND run.id <> c.caller_id;

DROP TABLE temp.differentiable;
DROP TABLE temp.walked_functions;
