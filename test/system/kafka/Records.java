import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

/**
 * Kafka's own client. Texts are in base64, `-` is null.
 * make SERVER TOPIC...; read SERVER TOPIC: a line `partition offset key value name=value,...` for each record;
 * write SERVER TOPIC: such a line of standard input (`key value name=value,...`) is a record.
 */
public class Records {
  static String text(byte[] bytes) { return bytes == null ? "-" : "=" + Base64.getEncoder().encodeToString(bytes); }
  static byte[] bytes(String text) { return text.equals("-") ? null : Base64.getDecoder().decode(text.substring(1)); }

  public static void main(String[] args) throws Exception {
    Properties options = new Properties();
    options.put("bootstrap.servers", args[1]);
    List<String> topics = Arrays.asList(args).subList(2, args.length);
    switch (args[0]) {
      case "make" -> make(options, topics);
      case "read" -> read(options, topics.get(0));
      default -> write(options, topics.get(0));
    }
  }

  static void make(Properties options, List<String> topics) throws Exception {
    try (Admin admin = Admin.create(options)) {
      admin.createTopics(topics.stream().map((name) -> new NewTopic(name, 1, (short) 1)).collect(Collectors.toList())).all().get();
    }
  }

  static void read(Properties options, String topic) {
    options.put("key.deserializer", ByteArrayDeserializer.class.getName());
    options.put("value.deserializer", ByteArrayDeserializer.class.getName());
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(options)) {
      List<TopicPartition> all = consumer.partitionsFor(topic).stream().map((one) -> new TopicPartition(topic, one.partition())).toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      StringBuilder said = new StringBuilder();
      while (all.stream().anyMatch((one) -> consumer.position(one) < ends.get(one)))
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          StringJoiner headers = new StringJoiner(",");
          record.headers().forEach((header) -> headers.add(header.key() + text(header.value())));
          said.append(record.partition()).append(' ').append(record.offset()).append(' ').append(text(record.key())).append(' ')
            .append(text(record.value())).append(' ').append(headers).append('\n');
        }
      System.out.print(said);
    }
  }

  static void write(Properties options, String topic) throws Exception {
    options.put("key.serializer", ByteArraySerializer.class.getName());
    options.put("value.serializer", ByteArraySerializer.class.getName());
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(options); Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8)) {
      while (lines.hasNextLine()) {
        String[] parts = lines.nextLine().split(" ", -1);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, bytes(parts[0]), bytes(parts[1]));
        for (String header : parts[2].isEmpty() ? new String[0] : parts[2].split(","))
          record.headers().add(header.substring(0, header.indexOf('=')), bytes(header.substring(header.indexOf('='))));
        producer.send(record).get();
      }
    }
  }
}
