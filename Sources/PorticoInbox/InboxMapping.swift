import Portico

/// What the service's JSON means, all in one file.
///
/// What is needed to show a message at all is demanded; everything else may be missing, null or unknown. An entry that
/// cannot be read is left out and counted, and never takes the page with it. (What is no JSON at all does: there is no
/// saying where an entry of it ends.)
struct InboxMapping: Sendable {
    /// Schemes of addresses that may be followed, lower case.
    let linkSchemes: Set<String>

    // MARK: Messages

    private static let messageMembers: Set<String> = [
        "id", "kind", "title", "body", "blocks", "link", "createdAt", "readAt", "archivedAt", "expiresAt", "actions",
        "data", "revision",
    ]

    /// A message; nil where it has no id, no title or no time.
    func message(_ json: JSONValue) -> InboxMessage? {
        guard let object = json.objectValue, let id = json["id"]?.stringValue.flatMap({ Identifier($0) }),
            let title = json["title"]?.stringValue, let createdAt = time(json["createdAt"])
        else { return nil }
        var unknown = JSONObject()
        for member in object where !Self.messageMembers.contains(member.name) { unknown[member.name] = member.value }
        return InboxMessage(
            id: id, kind: json["kind"]?.stringValue ?? "message", title: title, body: json["body"]?.stringValue ?? "",
            blocks: (json["blocks"]?.arrayValue ?? []).map(block), link: link(json["link"]), createdAt: createdAt,
            readAt: time(json["readAt"]), archivedAt: time(json["archivedAt"]), expiresAt: time(json["expiresAt"]),
            actions: (json["actions"]?.arrayValue ?? []).compactMap(action), data: json["data"] ?? .null,
            revision: json["revision"]?.integerValue ?? 0, unknown: unknown)
    }

    /// The messages of a list, and how many entries are none.
    func messages(_ json: JSONValue?) -> (messages: [InboxMessage], unreadable: Int) {
        let entries = json?.arrayValue ?? []
        let messages = entries.compactMap(message)
        return (messages, entries.count - messages.count)
    }

    private func block(_ json: JSONValue) -> InboxBlock {
        InboxBlock(
            kind: json["type"]?.stringValue ?? "unknown", text: json["text"]?.stringValue,
            link: link(json["url"] ?? json["link"]), json: json)
    }

    private func action(_ json: JSONValue) -> InboxAction? {
        guard let id = json["id"]?.stringValue.flatMap({ Identifier($0) }) else { return nil }
        let kind: InboxAction.Kind =
            switch json["kind"]?.stringValue ?? "custom" {
            case "open": .open
            case "dismiss": .dismiss
            case "custom": .custom
            case let other: .other(other)
            }
        return InboxAction(
            id: id, label: json["label"]?.stringValue ?? id.text, kind: kind, link: link(json["url"]))
    }

    private func link(_ json: JSONValue?) -> InboxLink? {
        guard let url = json?.stringValue, !url.isEmpty else { return nil }
        // A scheme is ASCII and ends at the first colon (RFC 3986 §3.1); what has white space or controls is read as
        // another address by some, what turns the direction of text as another by people, and so it is none here.
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < url.utf8.count, !url.unicodeScalars.contains(where: Self.misleads) else {
            return .refused(url)
        }
        let lower = scheme.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return linkSchemes.contains(String(decoding: lower, as: UTF8.self)) ? .trusted(url) : .refused(url)
    }

    private static func misleads(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isHidden || scalar.properties.generalCategory == .spaceSeparator || scalar.properties.isVariationSelector
    }

    /// A time of the service, with or without a fraction of a second, which is not kept.
    private func time(_ json: JSONValue?) -> Instant? {
        guard let text = json?.stringValue else { return nil }
        let bytes = Array(text.utf8)
        guard let point = bytes.firstIndex(of: UInt8(ascii: ".")) else {
            return RFC3339.seconds(bytes).map { Instant(seconds: $0) }
        }
        let digits = bytes[(point + 1)...].prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        return RFC3339.seconds(Array(bytes[..<point] + bytes[digits.endIndex...])).map { Instant(seconds: $0) }
    }

    // MARK: Preferences

    func preferences(_ json: JSONValue) -> Preferences? {
        guard let object = json.objectValue else { return nil }
        var preferences = Preferences(
            channels: switches(json["channels"]), topics: switches(json["topics"]),
            quietHours: quietHours(json["quietHours"]), marketingLimit: marketingLimit(json["marketingLimit"]))
        let known: Set<String> = ["channels", "topics", "quietHours", "marketingLimit"]
        for member in object where !known.contains(member.name) { preferences.unknown[member.name] = member.value }
        // A value of a known member that this version cannot read is unknown too.
        for (name, isRead) in [
            ("quietHours", preferences.quietHours != nil), ("marketingLimit", preferences.marketingLimit != nil),
        ] {
            if let value = object[name], !value.isNull, !isRead { preferences.unknown[name] = value }
        }
        return preferences
    }

    private func switches(_ json: JSONValue?) -> [String: Bool] {
        var switches: [String: Bool] = [:]
        for member in json?.objectValue ?? JSONObject() {
            if let isOn = member.value.boolValue { switches[member.name] = isOn }
        }
        return switches
    }

    private func quietHours(_ json: JSONValue?) -> QuietHours? {
        guard let start = json?["start"]?.stringValue, let end = json?["end"]?.stringValue,
            let timeZone = json?["timeZone"]?.stringValue
        else { return nil }
        return QuietHours(start: start, end: end, timeZone: timeZone)
    }

    private func marketingLimit(_ json: JSONValue?) -> MarketingLimit? {
        guard let count = json?["count"]?.integerValue,
            let period = json?["period"]?.stringValue.flatMap(MarketingLimit.Period.init(rawValue:))
        else { return nil }
        return MarketingLimit(count: Int(clamping: count), per: period)
    }

    // MARK: Devices

    func device(_ json: JSONValue) -> InboxDevice? {
        guard let id = json["id"]?.stringValue.flatMap({ Identifier($0) }) else { return nil }
        return InboxDevice(
            id: id, kind: json["type"]?.stringValue ?? "unknown", platform: json["platform"]?.stringValue,
            name: json["name"]?.stringValue, connectionId: json["connectionId"]?.stringValue,
            installationId: json["installationId"]?.stringValue, registeredAt: time(json["registeredAt"]),
            marketingConsent: json["marketingConsent"]?.boolValue)
    }
}

// MARK: - Writing

extension InboxMessage {
    /// The message as the service writes it, for the snapshot.
    var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id.text), "kind": .string(kind), "title": .string(title), "body": .string(body),
            "blocks": .array(blocks.map(\.json)), "createdAt": text(createdAt), "readAt": text(readAt),
            "archivedAt": text(archivedAt), "expiresAt": text(expiresAt), "actions": .array(actions.map(\.json)),
            "data": data, "revision": .integer(revision),
        ]
        if let link { object["link"] = .string(link.text) }
        for member in unknown { object[member.name] = member.value }
        return .object(object)
    }

    private func text(_ instant: Instant?) -> JSONValue {
        instant.map { .string(RFC3339.string(milliseconds: $0.milliseconds)) } ?? .null
    }
}

extension InboxAction {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .string(id.text), "label": .string(label), "kind": .string(kind.text)]
        if let link { object["url"] = .string(link.text) }
        return .object(object)
    }
}

extension InboxAction.Kind {
    fileprivate var text: String {
        switch self {
        case .open: "open"
        case .dismiss: "dismiss"
        case .custom: "custom"
        case .other(let name): name
        }
    }
}

extension InboxLink {
    fileprivate var text: String {
        switch self {
        case .trusted(let url), .refused(let url): url
        }
    }
}
