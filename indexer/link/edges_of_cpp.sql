-- What depends on what between C++ functions, beside the calls: overrides, destructors, what templates call,
-- specializations.

-- A call of a virtual method may run what overrides it; what the text says of that is in 83.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT x.function_id * 16, x.overridden_id * 16, 27, u.file_id, u.line, 0
FROM function_overrides AS x
JOIN functions AS u ON u.id = x.function_id
WHERE x.function_id <> x.overridden_id;

-- A destructor runs where an object ends, which no call names ([class.dtor]): who makes one leads there, by the class's
-- constructors. Of namesakes each source file has its own.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT d.id * 16, k.id * 16, 58, d.file_id, d.line, 0
FROM functions AS d
JOIN functions AS k ON k.name = substr(d.name, 1, length(d.name) - length(d.last)) || substr(d.last, 2)
WHERE d.kind = 'destructor' AND k.kind = 'constructor'
  AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = d.id)
  AND (k.file_id = d.file_id OR NOT EXISTS (
      SELECT 1 FROM functions AS own
      WHERE own.name IN (d.name, k.name) AND own.id NOT IN (d.id, k.id) AND (
          own.file_id = d.file_id AND own.kind = 'constructor' OR own.file_id = k.file_id AND own.kind = 'destructor')));

-- What nobody outside its class calls by name, templates call that the class is handed to: functors, the
-- operations of a reduction, a network's cells. So whoever hands it on leads there; but for classes that
-- everyone hands on (at::Tensor, Vectorized; more than a hundred functions do), where that says nothing. Whoever constructs an object with arguments
-- hands it on as well (`run(x, Launcher(true))`), if nothing else was seen to; that leads to functors and to methods
-- that are templates, which are there for templates to call.
CREATE TEMP TABLE handing AS
SELECT class, function_id, line, 0 AS is_made FROM handed_classes;

INSERT INTO handing (class, function_id, line, is_made)
SELECT substr(k.name, 1, length(k.name) - length(k.last) - 2) AS made, c.caller_id, min(c.line), 1
FROM calls AS c
JOIN functions AS k ON k.id = c.callee_id AND k.kind = 'constructor'
JOIN functions AS u ON u.id = c.caller_id
WHERE c.kind = 'constructor'
  AND substr(u.name, 1, length(k.name) - length(k.last)) <> substr(k.name, 1, length(k.name) - length(k.last))
  AND made NOT IN (SELECT class FROM handed_classes)
GROUP BY made, c.caller_id;

CREATE TEMP TABLE telling_classes AS
SELECT class FROM temp.handing GROUP BY class HAVING count(*) <= 100;
CREATE UNIQUE INDEX temp.telling_classes_class ON telling_classes (class);

CREATE TEMP TABLE handed_methods AS
SELECT u.id, u.name, u.file_id, t.class, u.last = 'operator()' AS is_functor, u.kind = 'constructor' AS is_constructor,
       u.signature LIKE 'template%' AS is_template,
       EXISTS (SELECT 1 FROM calls AS c JOIN functions AS caller ON caller.id = c.caller_id
               WHERE c.callee_id = u.id AND substr(caller.name, 1, length(t.class) + 2) <> t.class || '::'
                 -- A wrapper that passes on to a base's method, and that nobody is seen to call, may be one more.
                 AND NOT (c.kind = 'virtual' AND c.origin <> 'clang'
                     AND NOT EXISTS (SELECT 1 FROM calls AS x WHERE x.callee_id = c.caller_id)
                     AND NOT EXISTS (SELECT 1 FROM edges AS e WHERE e.target = c.caller_id * 16))
                 -- What a template calls of that name may be another class's.
                 AND NOT (c.kind = 'candidate' AND caller.signature GLOB 'template*' AND EXISTS (
                     SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id)))
       OR EXISTS (SELECT 1 FROM edges AS e WHERE e.target = u.id * 16) AS is_called
FROM functions AS u
JOIN temp.telling_classes AS t ON t.class = substr(u.name, 1, length(u.name) - length(u.last) - 2)
WHERE u.kind NOT IN ('destructor', 'conversion', 'variable', 'field', 'stub') AND u.last <> 'operator=';

-- A class some of whose methods are called by name is no such class: it is handed to pointers and containers. What
-- is called like a function may be called by name as well; who constructs an object says nothing of who uses it. Nor
-- does a template that makes such an object for itself (`WelfordOps::reduce` of SharedReduceOps.h in
-- `RowwiseMomentsCUDAKernel`), as long as nobody calls the others of its methods.
CREATE TEMP TABLE named_classes AS
SELECT m.class,
       -- Who calls what overrides a method through its base names no class, and makes none.
       min(coalesce(c.kind = 'virtual' AND c.origin <> 'clang', 0)) AS by_base,
       min(coalesce(c.caller_id IN (SELECT id FROM functions WHERE signature GLOB 'template*'), 0)) AS in_templates
FROM temp.handed_methods AS m
LEFT JOIN calls AS c ON c.callee_id = m.id
  AND NOT EXISTS (SELECT 1 FROM functions AS f
                  WHERE f.id = c.caller_id AND substr(f.name, 1, length(m.class) + 2) = m.class || '::')
WHERE m.is_called AND NOT m.is_functor AND NOT m.is_constructor
GROUP BY m.class;

DELETE FROM temp.named_classes
WHERE in_templates AND class IN (
    SELECT class FROM temp.handed_methods WHERE NOT is_called AND NOT is_functor AND NOT is_constructor);

-- Who calls a method of such a class by name need not hand it on.
CREATE TEMP TABLE named_by (class TEXT, caller_id INTEGER, PRIMARY KEY (class, caller_id)) WITHOUT ROWID;

INSERT INTO named_by (class, caller_id)
SELECT DISTINCT m.class, c.caller_id FROM temp.handed_methods AS m JOIN calls AS c ON c.callee_id = m.id
WHERE m.is_called AND NOT m.is_functor AND NOT m.is_constructor;

DELETE FROM temp.handed_methods
-- Each subquery for itself: one that asked of the row would be read anew for each.
WHERE NOT is_functor AND (
    (is_called AND is_constructor) OR class IN (SELECT class FROM temp.named_classes WHERE NOT by_base)
    OR (NOT is_constructor AND class IN (SELECT class FROM temp.named_classes)));

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT u.id * 16, h.function_id * 16, 40, caller.file_id, h.line, 1
FROM temp.handed_methods AS u
JOIN temp.handing AS h ON h.class = u.class
JOIN functions AS caller ON caller.id = h.function_id
WHERE (NOT h.is_made OR u.is_functor OR (u.is_template AND NOT u.is_constructor))
  AND (u.is_functor OR NOT EXISTS (
        SELECT 1 FROM temp.named_by AS n WHERE n.class = h.class AND n.caller_id = h.function_id))
  AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.caller_id = h.function_id AND c.callee_id = u.id)
  -- A source file's own class, not its namesake in another one.
  AND (u.file_id = caller.file_id OR NOT EXISTS (
      SELECT 1 FROM functions AS own WHERE own.name = u.name AND own.file_id = caller.file_id));

-- A template that calls a method of what it is given (`sorter.sort(x)`) may mean any class's of that name. Of those
-- that its own callers hand on it does mean it, whoever else calls that method by name.
CREATE TEMP TABLE open_calls AS
SELECT a.caller_id, u.id AS method_id, substr(u.name, 1, length(u.name) - length(u.last) - 2) AS class
FROM ambiguous_calls AS a
CROSS JOIN functions AS k ON k.id = a.caller_id AND k.signature GLOB 'template*'
CROSS JOIN functions AS u ON u.id = a.callee_id
WHERE class IN (SELECT class FROM temp.telling_classes);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT o.method_id * 16, h.function_id * 16, 40, caller.file_id, h.line, 1
FROM temp.open_calls AS o
CROSS JOIN calls AS c ON c.callee_id = o.caller_id
CROSS JOIN handed_classes AS h ON h.function_id = c.caller_id AND h.class = o.class
JOIN functions AS caller ON caller.id = h.function_id
WHERE NOT EXISTS (SELECT 1 FROM calls AS x WHERE x.caller_id = h.function_id AND x.callee_id = o.method_id);

DROP TABLE temp.open_calls;
DROP TABLE temp.handed_methods;
DROP TABLE temp.named_classes;
DROP TABLE temp.named_by;
DROP TABLE temp.handing;
DROP TABLE temp.telling_classes;

-- Who calls a template may run what it is specialized to. Calls of the text name the template, or of many
-- specializations some; clang's name the one that is meant, or the template where that depends on a parameter.
CREATE TEMP TABLE called_functions AS
SELECT u.id, u.name, u.last, u.file_id, u.kind, u.signature, u.origin FROM functions AS u
WHERE u.last COLLATE NOCASE IN (SELECT last FROM functions WHERE signature GLOB 'template <>*' OR signature GLOB 'template<>*')
  AND EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id
              AND (c.origin <> 'clang' OR (u.signature NOT GLOB 'template <>*' AND u.signature NOT GLOB 'template<>*')));
-- They are no specializations of each other, nor of an overload, where the template itself is known. Of what clang saw
-- the signature does not say which of a class's methods are templates.
ALTER TABLE temp.called_functions ADD COLUMN is_special AS (signature GLOB 'template <>*' OR signature GLOB 'template<>*');
DELETE FROM temp.called_functions
WHERE is_special AND name IN (
    SELECT name FROM temp.called_functions WHERE NOT is_special AND (signature GLOB 'template*' OR origin = 'clang'));
DELETE FROM temp.called_functions
WHERE signature NOT GLOB 'template*' AND name IN (
    SELECT name FROM temp.called_functions WHERE NOT is_special AND signature GLOB 'template*');
-- The USR says it of those that the tree defines: `void* data_ptr() const` beside `template <class T> T* data_ptr()`.
DELETE FROM temp.called_functions
WHERE signature NOT GLOB 'template*'
  AND id IN (SELECT function_id FROM function_usrs WHERE instr(usr, '@') AND NOT instr(usr, '>'));
CREATE INDEX temp.called_functions_name ON called_functions (name);
CREATE INDEX temp.called_functions_file ON called_functions (file_id, last);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT u.id * 16, t.id * 16, 41, u.file_id, u.line, 0
FROM functions AS u
-- A namespace that `#if` opens is in the name that the text has, and not in clang's.
JOIN temp.called_functions AS t ON t.id <> u.id AND (
    t.name = u.name OR (t.file_id = u.file_id AND t.last = u.last AND t.kind = 'function' AND u.kind = 'function'))
WHERE (u.signature GLOB 'template <>*' OR u.signature GLOB 'template<>*')
  AND (u.origin = 'clang' OR NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id))
  -- What takes a `Vectorized<int>` is no specialization of what takes a `VectorizedN<T, N>` (ATen/cpu/vec/vec_n.h). Of
  -- other specializations alone a call of the text may mean each.
  AND (t.is_special OR NOT takes_others(u.signature, u.name, t.signature, t.name));

DROP TABLE temp.called_functions;

-- The same of a class's specializations, which stand in one file.
CREATE TEMP TABLE specialized_methods AS
SELECT u.id, u.name, u.file_id, k.id AS class_id, EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id) AS is_called
FROM (SELECT name, file_id FROM cpp_classes GROUP BY name, file_id HAVING count(*) > 1) AS s
JOIN cpp_classes AS k ON k.name = s.name AND k.file_id = s.file_id
JOIN functions AS u ON u.file_id = k.file_id AND u.line BETWEEN k.line AND k.end_line
WHERE u.name = k.name || '::' || u.last AND u.kind IN ('method', 'operator');
CREATE INDEX temp.specialized_methods_name ON specialized_methods (name, file_id);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT u.id * 16, o.id * 16, 41, u.file_id, f.line, 0
FROM temp.specialized_methods AS u
JOIN temp.specialized_methods AS o ON o.name = u.name AND o.file_id = u.file_id AND o.class_id <> u.class_id AND o.is_called
JOIN functions AS f ON f.id = u.id
WHERE NOT u.is_called;

DROP TABLE temp.specialized_methods;
