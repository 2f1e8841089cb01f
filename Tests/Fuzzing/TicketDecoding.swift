import Portico

@testable import PorticoTickets

/// Any bytes as a code, and as the object inside one: a ticket or a reason, the same for the text with a reader's marks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let format = JSONTicketFormat()
    for text in [bytes, Array(Base64URL.encode(bytes).utf8)] {
        guard let cleaned = CodeText.cleaned(text), format.hasShape(cleaned) else { continue }
        guard case .ticket(let ticket) = format.parse(cleaned) else { continue }
        precondition(ticket.signedBytes.first == UInt8(ascii: "{"), "signed bytes that are no object")
    }
    return 0
}
