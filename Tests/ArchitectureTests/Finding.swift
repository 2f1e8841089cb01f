/// One place that breaks a rule of the house.
struct Finding: Hashable, Sendable, CustomStringConvertible {
    let path: String
    /// From 1; 0 where the file as a whole is meant.
    let line: Int
    let rule: String

    init(_ path: String, _ line: Int, _ rule: String) {
        self.path = path
        self.line = line
        self.rule = rule
    }

    var description: String {
        line > 0 ? "\(path):\(line): error: \(rule)" : "\(path): error: \(rule)"
    }
}
