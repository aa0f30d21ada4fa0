-- name: definitions
-- Where is the kernel of a dispatch entry written? The one that is built first.
SELECT u.id, u.name, f.path, u.line
FROM dispatch_kernels AS k
JOIN functions AS u ON u.id = k.function_id
JOIN source_files AS f ON f.id = u.file_id
WHERE k.dispatch_id = :dispatch_id
ORDER BY k.is_primary DESC, f.path, u.line

-- name: replaced
-- What does Python register in the place of a kernel?
SELECT d.kernel, f.path, d.line
FROM dispatch_replacements AS r
JOIN dispatch AS d ON d.id = r.by_dispatch_id
LEFT JOIN source_files AS f ON f.id = d.file_id
WHERE r.dispatch_id = :dispatch_id

-- name: stubs
-- Which DispatchStubs do these functions call, and which kernels are registered with them?
SELECT DISTINCT s.stub, s.backend, s.kernel, s.function_id,
       coalesce(CASE WHEN s.kernel_line IS NOT NULL THEN rf.path END, kf.path) AS kernel_file,
       coalesce(s.kernel_line, u.line) AS kernel_line,
       rf.path AS registered_file, s.line AS registered_line
FROM json_each(:functions) AS wanted
JOIN stub_callers AS c ON c.function_id = wanted.value
JOIN stub_registrations AS s ON s.stub = c.stub
JOIN source_files AS rf ON rf.id = s.file_id
LEFT JOIN functions AS u ON u.id = s.function_id
LEFT JOIN source_files AS kf ON kf.id = u.file_id
WHERE s.kernel <> 'nullptr'
ORDER BY s.stub, s.backend, rf.path, s.line

-- name: launches
-- Which GPU kernels do these functions launch?
SELECT DISTINCT l.kernel, l.platform, l.kind, f.path, l.line,
       coalesce(kf.path, cf.path) AS kernel_file, coalesce(k.line, c.line) AS kernel_line
FROM json_each(:functions) AS wanted
JOIN launches AS l ON l.launcher_id = wanted.value
JOIN source_files AS f ON f.id = l.file_id
LEFT JOIN launch_kernels AS lk ON lk.launch_id = l.id AND lk.is_primary
LEFT JOIN kernels AS k ON k.id = lk.kernel_id
LEFT JOIN source_files AS kf ON kf.id = k.file_id
LEFT JOIN functions AS c ON c.id = l.callee_id
LEFT JOIN source_files AS cf ON cf.id = c.file_id
ORDER BY f.path, l.line
